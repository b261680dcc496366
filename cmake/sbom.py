#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# sbom.py - what Debian packages of Cairn consist of, as SPDX 2.3 JSON
#
#   sbom.py FOLDER     reads FOLDER/*.deb, writes FOLDER/cairn.spdx.json
#
# Compiled into the packages are those of COMPILED_IN; what they are linked with is in their own field Depends. Versions are
# those of the machine that builds. What is not known here is NOASSERTION.

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from datetime import datetime, timezone

COMPILED_IN = {  # Debian package: licence
    "libcli11-dev": "BSD-3-Clause",
    "libfmt-dev": "MIT",
    "libtomlplusplus-dev": "MIT",
    "nlohmann-json3-dev": "MIT",
    "libpmix-dev": "BSD-3-Clause",
    "libotf2-trace-dev": "BSD-3-Clause",
    "libzstd-dev": "BSD-3-Clause OR GPL-2.0-only",
    "libjs-chart.js": "MIT",
    "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
}


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def field(deb, name):
    return output("dpkg-deb", "-f", str(deb), name)


def installed_version(package):
    """None where it is not installed."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
    return done.stdout or None


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name)


def debian_package(name, licence="NOASSERTION"):
    version = installed_version(name)
    entry = {"SPDXID": identifier(name), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
             "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    if version is not None:
        entry["versionInfo"] = version
        entry["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": f"pkg:deb/debian/{name}@{version}"}]
    return entry


def own_package(deb):
    return {"SPDXID": identifier(field(deb, "Package")), "name": field(deb, "Package"), "versionInfo": field(deb, "Version"),
            "packageFileName": deb.name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(deb.read_bytes()).hexdigest()}],
            "licenseConcluded": "BSD-3-Clause", "licenseDeclared": "BSD-3-Clause", "copyrightText": "NOASSERTION"}


def dependencies(deb):
    """The first of each group of alternatives."""
    return [re.split(r"[ (|]", part.strip())[0] for part in field(deb, "Depends").split(",") if part.strip()]


def relation(subject, kind, related):
    return {"spdxElementId": identifier(subject), "relationshipType": kind, "relatedSpdxElement": identifier(related)}


def document(debs):
    own = [own_package(deb) for deb in debs]
    names = {entry["name"] for entry in own}
    architectures = {entry["name"]: field(deb, "Architecture") for entry, deb in zip(own, debs)}
    relations = [relation("DOCUMENT", "DESCRIBES", name) for name in sorted(names)]
    needed = set()
    for entry, deb in zip(own, debs):
        for dependency in dependencies(deb):
            relations.append(relation(entry["name"], "DEPENDS_ON", dependency))
            needed.add(dependency)
        if architectures[entry["name"]] != "all":
            relations += [relation(package, "BUILD_DEPENDENCY_OF", entry["name"]) for package in COMPILED_IN]
    others = [debian_package(name, licence) for name, licence in COMPILED_IN.items()]
    others += [debian_package(name) for name in sorted(needed - names - set(COMPILED_IN))]
    moment = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", datetime.now().timestamp())), timezone.utc)
    digest = hashlib.sha256("".join(entry["checksums"][0]["checksumValue"] for entry in own).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "cairn",
            "documentNamespace": f"urn:sha256:{digest}",
            "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: cairn-sbom"]},
            "packages": own + others, "relationships": relations}


def main():
    folder = pathlib.Path(sys.argv[1])
    debs = sorted(folder.glob("*.deb"))
    if not debs:
        sys.exit(f"sbom: no packages in '{folder}'\n  try: ./dev package")
    (folder / "cairn.spdx.json").write_text(json.dumps(document(debs), indent=2) + "\n")


main()
