#!/usr/bin/env bash
# Install the two system programs where that needs no password; otherwise say what will be missing.
set -uo pipefail
missing=()
command -v bwrap >/dev/null 2>&1 || missing+=(bubblewrap)
command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || missing+=(chromium)
[ "${#missing[@]}" -gt 0 ] || exit 0

say_missing() {
  echo "ddax: not installed: ${missing[*]} ($1). Going on without:"
  case " ${missing[*]} " in *" bubblewrap "*) echo "  bubblewrap: code repair uses another sandbox or refuses to run code" ;; esac
  case " ${missing[*]} " in *" chromium "*) echo "  chromium: no tasks in a browser" ;; esac
  exit 0
}

[ -z "${DDAX_SKIP_SYSTEM:-}" ] || say_missing "DDAX_SKIP_SYSTEM is set"
command -v apt-get >/dev/null 2>&1 || say_missing "no apt-get here"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1 || say_missing "neither root nor sudo without a password"
  as_root=(sudo -n)
fi
echo "ddax: installing by apt-get, for the system: ${missing[*]} (DDAX_SKIP_SYSTEM=1 leaves them out)"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq >/dev/null 2>&1 </dev/null
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1 </dev/null ||
  say_missing "apt-get failed"
