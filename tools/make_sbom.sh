#!/usr/bin/env bash
# What is in an installation of a wheel, as a CycloneDX bill of materials: halfcl, what it needs,
# their versions and licences.
#
#     tools/make_sbom.sh dist/halfcl-1.0.0-….whl dist/halfcl.cdx.json
#
# The engine has no other project's code in it. PYTHON: the interpreter that the wheel is for.
set -euo pipefail
[ $# = 2 ] || { echo "usage: tools/make_sbom.sh WHEEL FILE" >&2; exit 2; }
PYTHON=${PYTHON:-python3}

. "$(dirname "$0")/shared.sh"

"$PYTHON" -m venv "$folder/tool"
"$folder/tool/bin/pip" install --quiet cyclonedx-bom==7.5.0
# Without pip, which is not a part of it.
"$PYTHON" -m venv --without-pip "$folder/installed"
"$folder/tool/bin/pip" --python "$folder/installed/bin/python" install --quiet "$1"
"$folder/tool/bin/cyclonedx-py" environment --output-reproducible --validate \
    --output-file "$2" "$folder/installed/bin/python"
"$folder/tool/bin/python" - "$2" <<'PYTHON'
import json, sys
made = json.load(open(sys.argv[1]))
named = {part["name"]: part.get("version") for part in made["components"]}
assert {"halfcl", "numpy"} <= named.keys(), named
print(f"{sys.argv[1]}: {named}")
PYTHON
