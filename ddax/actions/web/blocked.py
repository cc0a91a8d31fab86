"""Pages that say no: a challenge or a captcha where an answer was asked for."""

from __future__ import annotations

import re

MAX_CHALLENGE = 60_000
"""Bytes of a page that may be a challenge; a longer one is a page that speaks of them."""
MAX_WORDS = 120
"""Words a challenge shows at most."""
MACHINERY = re.compile(
    rb"cf-chl-|_cf_chl_opt|challenges\.cloudflare\.com/turnstile|/_Incapsula_Resource|px-captcha|"
    rb"captcha-delivery\.com|datadome|g-recaptcha|h-captcha|hcaptcha\.com/1/api|aws-waf-token|"
    rb"geo\.captcha|sec-if-cpt|distil_r_captcha",
    re.IGNORECASE,
)
WORDS = re.compile(
    rb"verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot|i'?m not a robot|unusual traffic from|"
    rb"checking your browser before|just a moment\.\.\.|attention required! \| cloudflare|"
    rb"access (?:to this page has been )?denied|enable javascript and cookies to continue|"
    rb"complete the (?:security check|captcha)|bitte best.tigen sie, dass sie kein roboter",
    re.IGNORECASE,
)
TAGS = re.compile(rb"<(script|style)\b(?:.*?</\1\s*>|.*)|<[^>]{0,2000}>", re.IGNORECASE | re.DOTALL)


def challenge(body: bytes) -> str:
    """Say why a page of HTML is taken for a challenge, or ""; belongs where hostile bytes are read."""
    if len(body) > MAX_CHALLENGE:
        return ""
    shown = TAGS.sub(b" ", body)
    words = len(shown.split())
    if words > MAX_WORDS:
        return ""
    said = WORDS.search(shown) or WORDS.search(title_of(body))
    made = MACHINERY.search(body)
    if said and (made or words <= MAX_WORDS // 2):
        return f"It asks for a proof of being human: {said.group().decode('ascii', 'replace')!r}."
    if made and words <= MAX_WORDS // 4:
        return f"It shows nothing but a challenge: {made.group().decode('ascii', 'replace')!r}."
    return ""


def title_of(body: bytes) -> bytes:
    """Return what stands in the title of a page."""
    found = re.search(rb"<title[^>]{0,200}>(.{0,300}?)</title", body, re.IGNORECASE | re.DOTALL)
    return found.group(1) if found else b""
