"""The browser for the report's tests."""

from __future__ import annotations

import shutil

import pytest
from playwright.sync_api import sync_playwright

_FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
)


@pytest.fixture(scope="session")
def chromium(unavailable):
    """A headless Chromium of the machine; tests skip with the reason where there is none."""
    binary = shutil.which("chromium")
    if binary is None:
        unavailable("there is no chromium on this machine (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=list(_FLAGS))
        yield browser
        browser.close()
