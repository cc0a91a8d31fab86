"""Signs of an order to a machine that reads a sentence, and which of them together make one; pure.

No sign suffices alone: ordinary instructions for people give orders too, and speak of agents, passwords
and settings. What tells the two apart is what the order is about: the reader's own instructions, memory,
answers, secrets or user.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SMALL = str.maketrans("\u0130\u0131\u017f", "iis")
_GAP = r"(?:[^.!?\n]|[.!?](?=\w))"
_START = (
    r"(?:^[^\w\n]*|[.!?:;,*>\"'(\[\]]\s*|\s[-–—]+\s*|\b(?:please|kindly|now|then|and|but|or|just|simply|also|instead|"
    r"always|never|immediately|silently|quietly|secretly|first|next|henceforth|hereafter|from now on|going forward|"
    r"do not|don't|you(?: (?:will|shall|can|must|should|may|now|are|to|have|need|only|always|simply|ought)){0,3}|"
    r"(?:want|like|ask|need|require|expect|order|instruct|beg|urge) you to|(?:make|be) sure (?:that )?(?:to|you)|take care to|"
    r"(?:could|can|would|will) you(?: please| kindly)?|(?:would|will) be \w+ if you|(?:proceed|continue) to|go ahead and|"
    r"feel free to|(?:important|necessary|essential|imperative|vital|crucial|required)(?: for you)? to)\s+)"
)
"""Where an order to the reader may begin: a clause, or after what only leads up to it."""
_UNDO = (
    r"(?:ignore|disregard|forget|override|bypass|discard|drop|abandon|dismiss|neglect|overlook|scrap|erase|"
    r"set aside|put aside|throw (?:out|away)|leave (?:aside|behind)|cast aside|pay no (?:attention|heed) to|"
    r"stop(?: (?:following|obeying|doing|using|working on))?|cease|quit|suspend|(?:follow|obey|listen to|"
    r"comply with|adhere to) none of|(?:do not|don't|never|no longer) (?:follow|obey|listen to|comply with|"
    r"adhere to|trust|rely on)|void|break|violate|deviate from|depart from)"
)
_RESET = r"(?:delete|reset|wipe|clear|erase|replace|overwrite|rewrite|swap|cancel|skip|purge|destroy)"
_DUTIES = (
    r"(?:instructions?|prompts?|directives?|orders?|guidelines?|rules?|commands?|assignments?|constraints?|"
    r"restrictions?|policy|policies|programming|briefs?|messages?|tasks?|requests?)"
)
_SELF = (
    r"(?:your (?:\w+ ){0,2}(?:instructions?|prompts?|directives?|guidelines|memory|memories|goals?|objectives?|"
    r"training|programming|mission|notes|persona|identity|role|purpose|priorities|beliefs))"
)
_TOLD = (
    r"(?:(?:instructions?|prompts?|directives?|orders?|guidelines?|rules?|commands?|everything|anything|all|what|"
    r"whatever|plan|work|task|question)\s+(?:that\s+)?(?:(?:you|he|she|they|was|were|came|has|had|have|been|ever|just|already|your|the|are|"
    r"user|developer|operator|humans?|currently)\s+)*(?:told|given|received|got|said|read|asked|taught|instructed|"
    r"ordered|learned|learnt|seen|know|before|above|so far|earlier|previously|doing|working on))"
)
_CONTEXT = (
    rf"(?:(?:previous|prior|above|earlier|preceding|former|foregoing|original|existing|initial|system|your|past)\s+"
    rf"(?:\w+\s+){{0,2}}{_DUTIES}|your current (?:task|goal|job|assignment|work)|{_SELF}|{_TOLD}|"
    r"the system (?:prompt|message)|the user's (?:question|request|instructions?|task|wishes|goal)|"
    r"the task (?:at hand|you))"
)
_MACHINE = (
    r"(?:ai|a\.i\.|llms?|(?:ai |virtual |digital |automated |helpful )?assistants?|(?:ai|autonomous|software|"
    r"reading|browsing|research|web|llm) agents?|(?:large )?language models?|chat ?bots?|gpt|"
    r"(?:automated|automatic|intelligent|artificial) (?:\w+ )?(?:systems?|readers?|tools?|programs?|intelligences?)|"
    r"(?:neural|machine) (?:networks?|readers?)|robots?|summari[sz]ers?)"
)
_SAY = (
    r"(?:say|put|place|answer|reply|respond|claim|tell|conclude|report|state|recommend|mention|declare|insist|assert|write|"
    r"output|print|praise|suggest|cite|quote|promote|name|add|include|append|insert|begin|start|end|finish|"
    r"return|give|provide|use|present|advise|endorse|announce|confirm|agree)"
)
_UTTER = (
    r"(?:say|answer|reply|respond|claim|tell|conclude|recommend|mention|insist|assert|praise|suggest|promote|advise|"
    r"endorse|confirm|agree|name|pretend|declare|state)"
)
_LEAK = (
    r"(?:reveal|send|forward|leak|email|e-mail|mail|post|exfiltrate|upload|disclose|transmit|submit|deliver|expose|"
    r"dump|hand over|give (?:me|us|away)|tell (?:me|us)|recite|publish|relay|repeat|spell out|type out)"
)
_TELL = (
    r"(?:show|output|print|include|append|share|copy|paste|list|attach|embed|encode|write down|write|provide|supply|"
    r"report|pass|use|return|put|quote|cite)"
)
_KEYS = (
    r"(?:api[ _-]?keys?|secrets?|passwords?|passphrases?|credentials?|(?:access|session|auth\w*) tokens?|"
    r"private keys?|environment variables|(?:conversation|chat|dialogue|message|search) (?:history|log|transcript)|"
    r"(?:personal|private|confidential|sensitive) (?:data|information|details|files?|documents?))"
)
_PRIVATE = (
    r"(?:(?:your|its|the|their) (?:own )?(?:system|hidden|initial|secret|internal) (?:prompts?|instructions?)|"
    r"(?:your|its) (?:own )?(?:prompts?|instructions?|context|memory|memories)|memory contents?|"
    r"(?:the|this|your|our) (?:whole |entire |full )?conversations?|"
    r"(?:the|your) user'?s? (?:\w+ )?(?:data|name|address|files?|e-?mails?|details|information|secrets?|messages?|"
    r"documents?|keys?|passwords?|credentials)|everything you (?:know|have|remember|were told|stored|learned|read)|"
    r"what(?:ever)? you (?:know|have|remember|stored|learned))"
)
_HELD = (
    r"\b(?:the (?:user|agent|assistant|operator|owner)'s|stored|you (?:know|have|hold|store|stored|were given|can "
    r"(?:find|see|reach|access)))\b"
)
_OUT = r"(?:https?://|www\.|\b[\w.+-]+@[\w-]+\.\w+|\b[\w-]+\.example\b|\bthis (?:address|server|site|url|link)\b)"
_KEEP = r"(?:store|save|remember|memori[sz]e|record|commit|keep|retain|note|write|add|register|file|learn|persist|log)"
_MEMORY = (
    r"(?:\b(?:your|long[- ]?term|permanent|persistent|the agent's|the assistant's) (?:\w+ )?(?:memory|memories|"
    r"knowledge|knowledge base|rules?|notes|beliefs)\b|\bas (?:a |an |the )?(?:\w+ )?(?:verified|established|trusted|"
    r"known|confirmed|proven|undisputed|permanent|absolute|certain) (?:fact|truth|rule|knowledge|source)s?\b|"
    r"\bfor (?:all |any |every |the )?(?:future|later|subsequent|next|coming) (?:\w+ )?(?:tasks?|sessions?|"
    r"conversations?|answers?|questions?|users?)\b)"
)
_HENCEFORTH = (
    r"(?:from (?:now|here|this (?:point|moment|line|sentence)|today|hereon)(?: on(?:wards?)?| forward)?|henceforth|"
    r"hereafter|going forward|for the rest of (?:this|the|our) (?:\w+)|in (?:all|any|every|each|your) "
    r"(?:\w+ )?(?:future|later|subsequent|following|next|further) (?:\w+)|until (?:further notice|told otherwise)|"
    r"for every (?:future |further |other )?(?:question|task|answer|request|user)|"
    r"whenever (?:you|someone|anyone|somebody|the user|a user|users)|"
    r"(?:every|each|any) time (?:you|someone|the user|a user)|regardless of|no matter what|"
    r"whatever (?:you (?:are|were)|the (?:question|user|task)))"
)
_ASKED = (
    r"(?:(?:if|when|whenever|once|every time|should)\s+(?:(?:ever|you|you're|are|someone|anyone|somebody|the|a|users?|"
    r"people|human|operator|anybody|is|be|being|next|later|again)\s+)*(?:asks?|asked|questioned|summari[sz](?:e|ing)|"
    r"answering|queried|inquires?|wants? to know|writing (?:the|your) (?:answer|report|summary))\b)"
)
_REPLY = (
    r"(?:(?:your|the (?:final|only|correct|right|true)) (?:\w+ )?(?:answers?|repl(?:y|ies)|conclusions?|"
    r"responses?|summar(?:y|ies)|verdicts?|reports?|reviews?)|(?:every|each|all) (?:answers?|repl(?:y|ies)|responses?|question|"
    r"summary))"
)
_MUST = r"(?:must|has to|have to|shall|needs? to|ought to|should|is to|are to|will)"
_TRUSTED = (
    r"(?:authoritative|verified|trusted|trustworthy|reliable|true|the truth|binding|official|correct|approved|safe|"
    r"more important|highest priority|top priority|ground truth|fully trusted|gospel|beyond doubt|your (?:new )?\w+)"
)
_THIS = r"(?:this|these|the following|the above|everything|anything|all|our|what (?:is|follows|comes|stands))"
_HIDE = (
    r"(?:(?:without|instead of|before) (?:\w+ )?(?:telling|informing|asking|notifying|alerting|mentioning|warning|"
    r"consulting|revealing|disclosing)|(?:do not|don't|never|must not|should not|mustn't|shouldn't|avoid|refrain from|"
    r"no need to) (?:\w+ )?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|let(?:ting)?|"
    r"alert(?:ing)?|notify(?:ing)?|warn(?:ing)?|ask(?:ing)?|show(?:ing)?|report(?:ing)?)|keep|hide|conceal)"
)
_MASTER = r"(?:(?:the|your|any|a) (?:users?|humans?|operators?|owners?|developers?|supervisors?|people))"
_AUTHORITY = (
    r"(?:overrid(?:e|es|ing)|supersed(?:e|es|ing)|(?:takes?|has|have|given?) (?:\w+ )?(?:precedence|priority) over|"
    r"replac(?:e|es|ing)|outranks?|cancels?|void|invalidates?)"
)
_GUARD = (
    r"(?:guard ?rails?|safeguards?|your (?:\w+ ){0,2}(?:filters?|restrictions?|limits?|limitations?|checks?|safety|"
    r"policy|policies|ethics|principles|constraints|rules|judge?ment|verification))"
)
_CHECKING = (
    r"(?:(?:do not|don't|never|no need to|stop|without|skip|avoid) (?:\w+ )?(?:check\w*|verif\w+|question\w*|doubt\w*|"
    r"cross-?check\w*|consult\w*|cit(?:e|ing)|trust\w*|believ\w+|compar\w+|look\w* (?:at|for|up)|us(?:e|ing)))"
)
_WITNESSES = (
    r"(?:(?:any |the |all |with )?other (?:sources?|pages?|sites?|documents?|references?|claims?)|this (?:claim|"
    r"statement|page|source|fact|information)|these (?:claims?|facts?|statements?)|what (?:this|other))"
)


def _imperative(verb: str, *rest: str, gap: int = 45) -> str:
    """Return the pattern of an order to do `verb`, followed by the rest in order."""
    return rf"{_START}{verb}\b" + "".join(rf"{_GAP}{{0,{gap}}}?(?:{part})" for part in rest)


_TOGETHER = (
    _imperative(_UNDO, rf"\b{_CONTEXT}\b"),
    rf"\b{_CONTEXT}\b{_GAP}{{0,30}}\b(?:no longer|do not|don't|does not)\s+(?:apply|count|matter|hold|bind)\b",
    rf"\b{_CONTEXT}\b{_GAP}{{0,20}}\b(?:is|are|must be|should be|can be|may be|void|consider(?:ed)?)\s+(?:now |hereby |to be )?"
    r"(?:ignored|disregarded|forgotten|overridden|cancell?ed|revoked|superseded|void|obsolete|suspended|replaced|"
    r"dropped|withdrawn|lifted)\b",
    rf"\b(?:{_SELF}|{_TOLD})\b{_GAP}{{0,5}}\b(?:have|has|had|was|were) (?:now |just |been )*(?:changed|replaced|cancell?ed|"
    r"revoked|superseded|updated|suspended|withdrawn|lifted|wrong|false)\b",
    rf"\b(?:consider|treat|regard|declare)\b{_GAP}{{0,20}}\b{_CONTEXT}\b{_GAP}{{0,15}}\b(?:void|null|obsolete|cancell?ed|"
    r"invalid|outdated|revoked|wrong|fulfilled|complete[d]?|done)\b",
    rf"\b(?:{_THIS}|instructions?|message|notice|text|commands?)\b{_GAP}{{0,30}}\b{_AUTHORITY}\b{_GAP}{{0,30}}\b{_CONTEXT}\b",
    _imperative(_RESET, rf"\b(?:{_SELF}|{_TOLD})\b", gap=20),
    _imperative(_LEAK, rf"\b(?:{_PRIVATE}|(?:all|any|every)\b{_GAP}{{0,20}}\b{_KEYS}|your (?:own )?notes)\b"),
    _imperative(r"(?:reveal|leak|exfiltrate|disclose|hand over|(?:give|send|sent|show|tell) (?:me|us)|dump|publish|expose|recite)",
                rf"\b(?:{_KEYS}|{_PRIVATE})\b", gap=15),
    _imperative(_TELL, rf"\b{_PRIVATE}\b"),
    _imperative(rf"(?:{_LEAK}|{_TELL})", _HELD, rf"\b{_KEYS}\b"),
    _imperative(rf"(?:{_LEAK}|{_TELL})", rf"\b{_KEYS}\b", rf"(?:{_HELD}|\b(?:to|at|into)\b{_GAP}{{0,15}}{_OUT})"),
    _imperative(_LEAK, r"\b(?:the user's|you (?:know|have|found|read|see))\b", _OUT),
    rf"\b(?:{_MACHINE}|model)\b{_GAP}{{0,15}}\b{_MUST}\b{_GAP}{{0,15}}\b(?:{_LEAK}|{_TELL})\b{_GAP}{{0,20}}\b(?:{_PRIVATE}|{_KEYS})\b",
    rf"\b{_MACHINE}\s+will (?:now|hereby|immediately)\b",
    _imperative(_KEEP, _MEMORY),
    rf"\b{_HENCEFORTH}\b{_GAP}{{0,40}}?\b(?:you|always|never|only|treat|consider|trust|act|behave|obey|{_SAY})\b"
    rf"{_GAP}{{0,60}}\b(?:answers?|answer|reply|replies|responses?|respond|say|recommend|mention|obey|trust|"
    r"conclude|cite|agree|claim|tell|insist|assistant|persona|act as|behave)\b",
    rf"\b{_ASKED}{_GAP}{{0,60}}(?:,|\bthen\b|\byou\b|:)\s*(?:\w+\s+){{0,2}}?(?:{_UTTER})\b",
    rf"{_START}{_SAY}\b{_GAP}{{0,60}}\b(?:{_HENCEFORTH}|{_ASKED})",
    rf"\b{_REPLY}\b{_GAP}{{0,25}}\b(?:must|has to|have to|shall|needs? to|ought to|is to)\s+(?:\w+ )?(?:be|say|contain|"
    r"include|end|begin|start|mention|state|name|recommend|read|praise|cite|match|agree)\b",
    _imperative(_SAY, rf"\b(?:in|to|of|at|as|into)\b {_REPLY}\b"),
    rf"\b(?:when|while|if) (?:you (?:are )?)?(?:summari[sz]|answer|quot|cit)(?:ing|e)\b{_GAP}{{0,40}},\s*(?:\w+ ){{0,2}}?{_SAY}\b",
    rf"\bin {_REPLY}\b{_GAP}{{0,15}}(?:,|:)\s*(?:\w+ ){{0,2}}?{_SAY}\b",
    _imperative(r"(?:begin|start|end|finish|conclude|open|close|prefix|preface|sign)",
                r"\b(?:your|each|every|all(?: your)?) (?:\w+ )?(?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|messages?)\b",
                gap=10),
    _imperative(r"(?:answer|respond to|reply to|meet)", r"\b(?:all|every|any|each) (?:\w+ )?(?:questions?|requests?|"
                r"quer(?:y|ies)|prompts?)\b", r"\b(?:with|by|as|in|only)\b", gap=15),
    _imperative(r"(?:answer|respond|reply)", r"(?:^|\s)(?:only|solely|exclusively|nothing but|with (?:only|nothing|just|"
                r"exactly|a single|the (?:\w+ )?(?:words?|phrase|sentence|link)))\b", gap=12),
    rf"\b(?:regardless of|no matter|whatever|independent(?:ly)? of)\b{_GAP}{{0,20}}\b(?:question|task|user|asked|query|"
    rf"topic|request|evidence)\w*\b{_GAP}{{0,15}}[,:]\s*(?:\w+ ){{0,2}}?{_SAY}\b",
    r"(?:^|[.!?:;]\s*)(?:please |always |now )?(?:conclude|claim|declare|insist|assert|say|state|report) (?:that )?the "
    r"(?:answer|claim|verdict|task|question|statement) (?:is|was|has|cannot)\b",
    rf"\b{_MACHINE}\b{_GAP}{{0,50}}\b(?:read(?:s|ing)?|process(?:es|ing)?|visit(?:s|ing)?|pars(?:es?|ing)|"
    rf"see(?:s|ing)?|index(?:es|ing)?|summari[sz](?:es?|ing))\b{_GAP}{{0,25}}\b(?:this|these|here)\b",
    rf"\b(?:anyone|anything|whoever|whatever|any \w+|every \w+|all \w+|those|you)\s+(?:that |which |who |is |are )*"
    rf"(?:read(?:s|ing)?|process(?:es|ing)?|pars(?:es?|ing)|summari[sz](?:es?|ing)) (?:this|these)\b{_GAP}{{0,40}}"
    rf"\b{_MUST}\b",
    rf"\b(?:as|since|because|given that|being|when|if|while) (?:you(?:'re| are) )?(?:an?|the|this|any) (?:\w+ )?{_MACHINE}\b"
    rf"{_GAP}{{0,40}}\b(?:you|your|please)\b",
    rf"\b(?:to|for|dear|attention|hey|hello|note|listen|calling) (?:the |any |all |every |our |an? |my )?{_MACHINE}\b"
    rf"{_GAP}{{0,25}}[,:;!–—-]\s",
    rf"\b{_MACHINE}\b[,:]?\s+(?:must|shall|is to|are to|has to|have to|please|should)\s+(?:now |also |"
    rf"always |never |not |immediately )?(?:{_LEAK}|{_UNDO}|{_SAY}|{_KEEP}|obey|execute|run|call|invoke|visit|open|"
    r"fetch|click|approve|trust|delete|transfer)\b",
    r"\byou (?:are|have been|were) (?:hereby |now |officially )?(?:authori[sz]ed|instructed|ordered|commanded|"
    r"directed|reassigned|re-?programmed|released from|freed|unlocked|granted)\b",
    rf"\b(?:if|when|since|because|as) you(?:'re| are) (?:an?|the|any) (?:\w+ )?(?:{_MACHINE}|machine|program|computer|"
    r"crawler|model|parser|script)\b",
    r"\b(?:hey|dear|hello|listen|note to|message to|message for|calling) (?:the |any |all |every |our |an? |my )?"
    r"(?:\w+ )?(?:models?|machines?)\b",
    r"\bthe (?:operators?|developers?|users?|administrators?|admins?|owners?|company|creators?) (?:\w+ )?(?:ask(?:s|ed)?|"
    r"requests?|requested|order(?:s|ed)?|instruct(?:s|ed)?|wants?|decided|demands?|demanded|expects?)(?: that)? you\b",
    r"\byour (?:sole|only|new|real|true|actual|one|primary) (?:and \w+ )?(?:\w+ )?(?:purpose|task|goal|job|duty|mission|"
    r"objective|function|aim)\b",
    _imperative(r"(?:obey|comply with|submit to)", r"\b(?:this|these|the|all|every|my|our|me)\b", gap=8),
    r"\b(?:duty|obliged|obligated|bound|required|have|need) to (?:obey|comply|do as)\b",
    r"\bbefore (?:you )?(?:do(?:ing)? )?anything else\b",
    _imperative(r"(?:rate|score|grade|give|award|rank|assign|judge)", r"\b(?:this|our|itself|the present)\b",
                r"(?:\d+ ?(?:out of|/) ?\d+|\b(?:highest|top|full|maximum|maximal|best|perfect) (?:possible )?(?:scores?|marks?|"
                r"ratings?|grades?|rank|trust|value|verdict)\b)"),
    _imperative(r"(?:raise|increase|boost|set|lower|give|assign|grant|upgrade|restore)",
                r"\b(?:page|source|site|document|author|writer|text)(?:'s)?\b",
                r"\b(?:trust|trustworthiness|credibility|reliability|reputation|standing)\b"),
    _imperative(r"(?:raise|increase|boost|set|lower|give|assign|grant|upgrade|restore)",
                r"\b(?:trust|trustworthiness|credibility|reliability|reputation|standing)\b",
                r"\b(?:page|source|site|document|author|writer|text)(?:'s)?\b"),
    rf"\b(?:remember|memori[sz]e)\b{_GAP}{{0,12}}\b(?:for later|forever|permanently)\b",
    _imperative(r"(?:tell|inform|notify|assure|convince|persuade)", r"\b(?:the|your|every|all|any) (?:users?|humans?|operators?)\b",
                r"\b(?:that|to|they|he|she|it|this)\b", gap=6),
    _imperative(r"(?:do|follow|execute|apply|obey)", r"\b(?:what(?:ever)?|everything|all)\b", r"\b(?:this|the following|these) "
                r"(?:pages?|texts?|documents?|paragraphs?|messages?|notes?)\b", r"\b(?:says?|tells?|asks?|wants?|demands?)\b", gap=10),
    r"\bthe (?:users?|owners?|operators?|humans?) (?:has|have) (?:already|fully|explicitly) (?:agreed|consented|approved|"
    r"authori[sz]ed|confirmed|granted|permitted)\b",
    r"\bas of now,? you\b|\bfrom now on,? you (?:work|serve|obey|belong|act|speak|are)\b",
    rf"\b(?:now that|once|after|when|as soon as) you(?:'ve| have)? (?:read|finish(?:ed)?|processed|reach(?:ed)?|done)\b{_GAP}{{0,40}},\s*"
    rf"(?:please |then )?(?:execute|run|call|invoke|send|visit|open|delete|approve|transfer|click|{_UTTER})\b",
    rf"{_START}(?:proceed|go ahead|carry on|act|delete|transfer|approve|send|pay)\b{_GAP}{{0,40}}\bwithout (?:any )?(?:asking|confirmation|"
    r"permission|approval|hesitation|question)\b(?! for)",
    _imperative(r"(?:trust|believe|cite|quote|rely on|use)", r"\b(?:only|solely|exclusively|nothing but)\b",
                r"\b(?:this|our) (?:page|source|site|document|text)\b", gap=10),
    r"\b(?:whatever|no matter what|regardless of what|even if|although) (?:any |the |all )?other (?:pages?|sources?|sites?|"
    r"documents?) (?:say|claim|state|tell|write)s?\b",
    _imperative(r"(?:visit|open|click|fetch|download|call|go to|load)",
                r"\bbefore (?:you )?(?:answer|repl|respond|conclud|summari[sz])(?:y|ing|e)?\b", gap=80),
    r"\byou are (?:now|no longer) (?:an?|the|in \w+ mode|acting|working|called|named|free|bound|"
    r"restricted|limited|unrestricted|my)\b",
    r"\b(?:act|behave|respond|answer|speak|pose|continue) as (?:if you (?:are|were|had)|though you (?:are|were|had)|an? "
    r"(?:\w+ )?(?:ai|assistant|agent|model|expert|hacker|administrator|system))\b|\b(?:pretend|imagine) (?:that )?"
    r"(?:to be|you(?:'re| are| were| have))\b|\b(?:assume|adopt|take on|play) (?:the|a) (?:new )?(?:\w+ )?(?:role|"
    r"persona|identity) of\b",
    r"\b(?:enter|enable|activate|switch to|engage|turn on)\s+(?:\w+ )?(?:developer|god|jailbreak|unrestricted|dan|"
    r"unfiltered|obedience) mode\b",
    rf"\b{_HIDE}\b{_GAP}{{0,25}}\b{_MASTER}\b(?! can| may| to (?:use|choose|set))",
    rf"\b{_MASTER}\b{_GAP}{{0,15}}\b(?:must not|should not|mustn't|shouldn't|need not|needn't|does not need to|doesn't "
    r"need to|may not|is not to|are not to|must never|should never)\s+(?:\w+ )?(?:know|learn|find out|be told|notice|"
    r"hear|be informed)\b",
    _imperative(r"(?:treat|consider|regard|accept|take|mark|rate|view|believe|trust|score|grade|judge|approve|assume)",
                rf"\b{_THIS}\b", rf"\b(?:as|to be|is|are)\b (?:\w+ )?{_TRUSTED}", gap=30),
    _imperative(r"(?:disable|turn off|switch off|lift|remove|relax|bypass|circumvent|evade|lower|deactivate|ignore|"
                r"skip)", rf"\b{_GUARD}\b", gap=20),
    rf"(?:^|[.!?:;,]\s*|\b(?:and|please|must|should)\s+){_CHECKING}\b{_GAP}{{0,12}}\b{_WITNESSES}\b",
    _imperative(r"(?:use|call|invoke|run|execute|open)",
                r"\byour (?:\w+ )?(?:tools?|plugins?|tool access|function calls?|actions|code interpreter)\b"
                r"(?=\s*(?:[.,;:!]|$|(?:to|with|on|and|for|by)\b))",
                gap=15),
)  # fmt: skip


def small(text: str) -> str:
    """Return a text in small letters, those too that a pattern would take for `i` and `s` in spite of case."""
    return text.translate(_SMALL).lower()


def any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of any of these, for small letters: it finds what one after the other would find.

    How most of them begin is tried once at each place of a text, and not once for each of them. A pattern
    that minds case is quicker to pass a place at which it cannot begin.
    """
    left, parts = list(patterns), []
    for start in (_START, r"\b"):
        alike = [pattern for pattern in left if pattern.startswith(start)]
        left = [pattern for pattern in left if not pattern.startswith(start)]
        ends = "|".join(f"(?:{pattern.removeprefix(start)})" for pattern in alike)
        parts += [f"{start}(?:{ends})"] if alike else []
    return re.compile("|".join([*parts, *(f"(?:{pattern})" for pattern in left)]), re.MULTILINE)


_FOUND = any_of(_TOGETHER)


def is_order(sentence: str) -> bool:
    """Tell whether the signs in a sentence make an order to a machine; it is normalised and in small letters."""
    return bool(_FOUND.search(sentence))
