"""Set-up installs wherever pip does: uv is told what pip's own configuration says."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def script(repo: Path) -> ModuleType:
    """Return scripts/uv_as_pip.py as a module."""
    spec = importlib.util.spec_from_file_location("uv_as_pip", repo / "scripts/uv_as_pip.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def wheels(tmp_path: Path) -> str:
    folder = tmp_path / "wheels"
    folder.mkdir()
    return str(folder)


def test_what_pip_is_told_uv_is_told(script: ModuleType, tmp_path: Path, wheels: str) -> None:
    pem = tmp_path / "company.pem"
    pem.write_text("certificates")
    pip = {
        "cert": str(pem),
        "index-url": "https://user:secret@packages.example/simple",
        "extra-index-url": f"https://more.example/simple file://{wheels}\nfile:///no/such/folder",
        "find-links": f"{wheels}\nhttps://links.example/ /no/such/folder",
        "trusted-host": "packages.example more.example:8443",
        "proxy": "http://proxy.example:3128",
        "default-timeout": "180",
        "retries": "7",
        "client-cert": "/keys/client.pem",
        "disable-pip-version-check": "1",
    }
    assert script.for_uv(pip, {}, truststore=False) == {
        "SSL_CERT_FILE": str(pem),
        "SSL_CLIENT_CERT": "/keys/client.pem",
        "UV_DEFAULT_INDEX": "https://user:secret@packages.example/simple",
        "UV_INDEX": f"https://more.example/simple file://{wheels}",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": f"{wheels},https://links.example/",
        "UV_INSECURE_HOST": "packages.example more.example:8443",
        "ALL_PROXY": "http://proxy.example:3128",
        "UV_HTTP_TIMEOUT": "180",
        "UV_HTTP_RETRIES": "7",
    }


def test_what_uv_is_told_itself_stands(script: ModuleType, wheels: str) -> None:
    pip = {"cert": "/pip.pem", "index-url": "https://pip.example", "extra-index-url": "https://more.example"}
    pip |= {"find-links": wheels, "proxy": "http://pip.example", "trusted-host": "pip.example"}
    own = {
        "SSL_CERT_FILE": "/own.pem",
        "UV_INDEX_URL": "https://own.example/simple",
        "UV_EXTRA_INDEX_URL": "https://own.example/more",
        "UV_FIND_LINKS": "/own",
        "UV_INSECURE_HOST": "own.example",
        "HTTPS_PROXY": "http://own.example",
    }
    assert script.for_uv(pip, own, truststore=True) == {}
    assert script.for_uv({}, {}, truststore=False) == {}


def test_a_folder_of_certificates_is_named_as_one(script: ModuleType, wheels: str) -> None:
    assert script.for_uv({"cert": wheels}, {}, truststore=False) == {"SSL_CERT_DIR": wheels}


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_certificates_that_pip_takes_from_the_environment_count(script: ModuleType, name: str) -> None:
    assert script.for_uv({}, {name: "/env.pem"}, truststore=False) == {"SSL_CERT_FILE": "/env.pem"}


def test_a_pip_that_trusts_the_system_makes_uv_trust_it(script: ModuleType) -> None:
    assert script.for_uv({}, {}, truststore=True) == {"UV_SYSTEM_CERTS": "1"}
    assert script.for_uv({}, {"UV_NATIVE_TLS": "0"}, truststore=True) == {}
    assert [script.trusts_the_system(version) for version in ("23.0.1", "24.1.2", "24.2", "26.0")] == [
        False, False, True, True,
    ]  # fmt: skip


def test_the_narrower_setting_of_pip_wins(script: ModuleType) -> None:
    listed = r"""
:env:.find-links='/from/the/environment'
:env:.cert='/environment.pem'
global.cert='/global.pem'
global.find-links='/global'
global.index-url='https://global.example'
install.index-url='https://install.example'
install.extra-index-url='\nhttps://one.example\nhttps://two.example'
download.index-url='https://download.example'
"""
    assert script.parsed(listed) == {
        "cert": "/environment.pem",
        "find-links": "/from/the/environment",
        "index-url": "https://install.example",
        "extra-index-url": "\nhttps://one.example\nhttps://two.example",
    }


@pytest.fixture
def told(tmp_path: Path, repo: Path) -> subprocess.CompletedProcess[str]:
    """Run the script under a pip.conf with a program in the place of uv that says what it was given."""
    conf, program = tmp_path / "pip.conf", tmp_path / "a program"
    conf.write_text("[global]\nindex-url = https://user:secret@packages.example/simple\n")
    says = "print(json.dumps([sys.argv[1:], os.environ['UV_DEFAULT_INDEX'].partition('@')[2]])); sys.exit(3)"
    words = shlex.join([sys.executable, "-c", f"import json, os, sys; {says}"])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')  # a Python in a path with a space heads no script
    program.chmod(0o755)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PIP_CONFIG_FILE": str(conf)}
    command = [sys.executable, str(repo / "scripts/uv_as_pip.py"), str(program), "pip", "sync", "a lock"]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_the_program_gets_its_arguments_and_its_exit_code_comes_back(
    told: subprocess.CompletedProcess[str],
) -> None:
    assert told.returncode == 3, told.stderr
    assert json.loads(told.stdout) == [["pip", "sync", "a lock"], "packages.example/simple"]
    assert "secret" not in told.stdout + told.stderr


def test_set_up_installs_through_it(repo: Path) -> None:
    text = (repo / "scripts/setup.sh").read_text(encoding="utf-8")
    assert "uv_as_pip.py .venv/bin/uv pip sync" in text
    assert ".venv/bin/python -m pip install" in text.split("uv_as_pip.py")[1], "pip does it where uv cannot"
