"""The software bill of materials of a release, as SPDX 2.3 in JSON: which file has whose code in it."""

import hashlib
import json
import re
import subprocess

from make_wheel import ROOT

# name: (licence, where it is from). Versions are asked of what was built with.
PARTS = {
    "ExecuTorch": ("BSD-3-Clause", "the libraries of executorch's wheel"),
    "XNNPACK": ("BSD-3-Clause", "in ExecuTorch's libraries"),
    "zlib": ("Zlib", "Debian's source package"),
    "RapidJSON": ("MIT", "headers of Debian's rapidjson-dev"),
    "SQLite": ("blessing", "its one file of C in the package better-sqlite3 of npm"),
    "mingw-w64": ("MIT", "the C library and winpthreads of Debian's mingw-w64, with libgcc"),
    "wasi-libc": ("Apache-2.0 WITH LLVM-exception AND MIT", "the C library of Debian's wasi-libc, with compiler-rt"),
    "musl": ("MIT", "of ziglang"),
    "glibc": ("LGPL-2.1-or-later", "Debian's libc6"),
    "gcc-libs": ("GPL-3.0-or-later WITH GCC-exception-3.1", "Debian's libgcc-s1 and libstdc++6"),
    "preact": ("MIT", "in the page of reports"),
    "uplot": ("MIT", "in the page of reports"),
}
PAGE = ("preact", "uplot")
READER = ("RapidJSON", "zlib", *PAGE)
# What of a file's name tells the parts that it contains; the first that fits.
CONTENTS = (
    (r"etscope-bundle-.*\.tar$", (*READER, "ExecuTorch", "XNNPACK", "glibc", "gcc-libs")),
    (r"\.deb$", ("RapidJSON", *PAGE, "ExecuTorch", "XNNPACK")),
    (r"etscope_engine-.*\.whl$", ()),
    (r"win_amd64\.whl$|windows", (*READER, "SQLite", "mingw-w64", "gcc-libs")),
    (r"\.whl$", READER),
    (r"-static\.tar\.gz$", (*READER, "musl")),
    (r"etscope-[\d.]+\.html$", (*READER, "SQLite", "wasi-libc")),
    (r"etscope-[\d.]+\.tar\.gz$", PAGE),
)


def versions():
    """{part: version}; what is not known is NOASSERTION in the document."""
    found = {}
    header = ROOT / "build/release/zlib/zlib.h"
    if header.exists():
        found["zlib"] = re.search(r'ZLIB_VERSION "([^"]+)"', header.read_text(errors="replace"))[1]
    fields = subprocess.run([ROOT / "tools/fetch_runtime.sh", "--wheel", "x86_64"], check=False,
                            stdout=subprocess.PIPE, universal_newlines=True).stdout.split()  # fmt: skip
    found["ExecuTorch"] = (fields or ["NOASSERTION"])[0]
    page = json.loads((ROOT / "web/package.json").read_text())["dependencies"]
    found.update({name: page.get(name) for name in PAGE})
    return found


def package(name, version, license_id, comment):
    return {"SPDXID": f"SPDXRef-Package-{name}", "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": license_id,
            "licenseDeclared": license_id, "copyrightText": "NOASSERTION", "comment": comment}  # fmt: skip


def file_entry(path):
    data = path.read_bytes()
    return {"SPDXID": "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]", "-", path.name), "fileName": f"./{path.name}",
            "checksums": [{"algorithm": kind, "checksumValue": hashlib.new(kind.lower(), data).hexdigest()}
                          for kind in ("SHA1", "SHA256")],
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}  # fmt: skip


def parts_of(name):
    """The parts of others in a file; None if it is no artifact."""
    return next((parts for pattern, parts in CONTENTS if re.search(pattern, name)), None)


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def created():
    done = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ"],
                          env={"TZ": "UTC", "PATH": "/usr/bin:/bin:/usr/local/bin"}, stdout=subprocess.PIPE,
                          universal_newlines=True, check=False)  # fmt: skip
    return done.stdout.strip() or "2026-01-01T00:00:00Z"


def document(folder, version):
    known = versions()
    packages = [package("etscope", version, "BSD-3-Clause", "this release")]
    packages += [package(name, known.get(name, "NOASSERTION"), *about) for name, about in PARTS.items()]
    files, relations = [], [relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package-etscope")]
    for path in sorted(folder.iterdir()):
        parts = parts_of(path.name)
        if parts is None:
            continue
        files.append(file_entry(path))
        relations.append(relation(files[-1]["SPDXID"], "GENERATED_FROM", "SPDXRef-Package-etscope"))
        relations += [relation(files[-1]["SPDXID"], "CONTAINS", f"SPDXRef-Package-{name}") for name in parts]
    digests = "".join(each["checksums"][1]["checksumValue"] for each in files)
    made = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"etscope-{version}",
            "documentNamespace": f"urn:etscope:{version}:{hashlib.sha256(digests.encode()).hexdigest()}",
            "creationInfo": {"created": created(), "creators": ["Tool: etscope-make_sbom"]},
            "packages": packages, "files": files, "relationships": relations}  # fmt: skip
    return json.dumps(made, indent=1) + "\n"
