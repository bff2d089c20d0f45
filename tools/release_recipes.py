"""A Homebrew formula and a Dockerfile over the files of a release. Both are made, not kept.

RELEASE_URL is the folder where the files will be; without it the formula names the folder that they are in
here, so that it can be tried.
"""

import hashlib
import os

FORMULA = """# Made by `make release`.
class Etscope < Formula
  desc "Profile and debug ExecuTorch programs"
  homepage "{home}"
  url "{url}/etscope-{version}.tar.gz"
  sha256 "{digest}"
  license "BSD-3-Clause"

  depends_on "cmake" => :build
  depends_on "rapidjson" => :build
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    args = %w[-DBUILD_TESTING=OFF -DETS_WERROR=OFF -DEXECUTORCH_ROOT=]
    system "cmake", "-S", ".", "-B", "build", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/etscope --version")
  end
end
"""

DOCKERFILE = """# Made by `make release`: docker build -t etscope:{version} . in the folder of the release's files.
FROM debian:12-slim
COPY {package} /tmp/
RUN apt-get update \\
    && apt-get install --yes --no-install-recommends /tmp/{package} \\
    && rm -rf /tmp/{package} /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["etscope"]
CMD ["--help"]
"""


def recipes(folder, version):
    """{name: text}"""
    url = os.environ.get("RELEASE_URL", folder.as_uri()).rstrip("/")
    source = folder / f"etscope-{version}.tar.gz"
    (package,) = folder.glob("*.deb")
    return {
        "etscope.rb": FORMULA.format(url=url, home=url, version=version,
                                     digest=hashlib.sha256(source.read_bytes()).hexdigest()),
        "Dockerfile": DOCKERFILE.format(version=version, package=package.name),
    }  # fmt: skip
