"""Links between pages lead somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, anchors, links, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    for link in links(page):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{page.name} links to {link}"
        assert not anchor or anchor in anchors(target), f"{page.name} links to {link}"


def test_every_page_can_be_reached_from_the_architecture() -> None:
    reached, pending = set(), [ROOT / "ARCHITECTURE.md"]
    while pending:
        page = pending.pop()
        if page in reached or not page.is_file() or page.suffix != ".md":
            continue
        reached.add(page)
        local = [link.partition("#")[0] for link in links(page) if "://" not in link]
        pending += [(page.parent / link).resolve() for link in local if link]
    assert set(pages()) <= reached | {ROOT / "README.md"}
