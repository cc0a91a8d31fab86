"""The search by words that readers without one of their own are given; needs the standard library alone."""

import math
import re
from collections import Counter

K1, B, SHOWN = 1.5, 0.75, 10


class Pages:
    """Pages by title, ranked by BM25 over title and text."""

    def __init__(self, pages: dict[str, str]) -> None:
        self.pages = pages
        self.counts = {title: Counter(_words(f"{title} {text}")) for title, text in pages.items()}
        self.length = {title: sum(found.values()) for title, found in self.counts.items()}
        self.mean = sum(self.length.values()) / len(pages)
        self.holding = Counter(word for found in self.counts.values() for word in found)

    def titles(self, query: str) -> list[str]:
        """Return the titles of the best pages for a query, the best first."""
        words = set(_words(query)) & set(self.holding)
        return sorted(self.pages, key=lambda title: -sum(self._weight(word, title) for word in words))[:SHOWN]

    def listed(self, query: str) -> str:
        """Return the titles of the best pages as the text a tool gives back."""
        return "\n".join([f"FOUND for {query}", *(f"- {title}" for title in self.titles(query))])

    def shown(self, query: str, many: int = 5) -> str:
        """Return the best pages with their text."""
        return "\n\n".join(f"# {title}\n{self.pages[title]}" for title in self.titles(query)[:many])

    def _weight(self, word: str, title: str) -> float:
        many, here = self.holding[word], self.counts[title][word]
        rare = math.log(1 + (len(self.pages) - many + 0.5) / (many + 0.5))
        return rare * here * (K1 + 1) / (here + K1 * (1 - B + B * self.length[title] / self.mean))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
