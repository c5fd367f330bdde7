"""Which Debian packages the letter statistics come from, and how each language writes its letters.

A genre is capped, so that the statistics are of a language and not of one manual; one genre a language is
held out, for tests on text that the statistics have not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from text_readers import (
    read_catalogue,
    read_fortunes,
    read_glosses,
    read_markup,
    read_originals,
    read_sword,
    read_text,
)

LATIN = "abcdefghijklmnopqrstuvwxyz"

CAMPAIGNS = [
    "did",
    "dm",
    "dw",
    "ei",
    "httt",
    "l",
    "low",
    "nr",
    "sof",
    "sota",
    "sotbe",
    "thot",
    "trow",
    "tsg",
    "ttb",
    "utbs",
]


@dataclass(frozen=True)
class Source:
    """Files of one package, the genre they belong to and the reader of their format."""

    package: str
    genre: str
    licence: str
    pattern: str
    read: Callable[[Path], Iterator[str]]


@dataclass(frozen=True)
class Language:
    """A language: its alphabet, its commonest words, its sources, the genre held out and its own caps."""

    name: str
    alphabet: str
    function_words: str
    sources: tuple[Source, ...]
    held_out: str
    caps: dict[str, int] = field(default_factory=dict)
    fold: str = "letters with marks that are not in the alphabet lose them"


# Letters a genre may contribute. Manuals repeat themselves, so they weigh less than prose.
CAPS = {
    "office help": 2_000_000,
    "graphics help": 1_500_000,
    "music help": 1_000_000,
    "desktop help": 1_000_000,
    "system administration": 1_500_000,
    "definitions": 3_000_000,
    "scripture": 2_500_000,
    "essays": 8_000_000,
}

# Dutch and Greek have too little else to reach five million letters.
WHOLE_OFFICE_HELP = {"office help": 3_000_000}


def _stories(read: Callable[[Path], Iterator[str]], locale: str) -> tuple[Source, ...]:
    pattern = f"*/{locale}/LC_MESSAGES/*.mo"
    return tuple(Source(f"wesnoth-1.16-{name}", "stories", "GPL-2+", pattern, read) for name in CAMPAIGNS)


def _translated(code: str, book: str, locale: str = "") -> tuple[Source, ...]:
    """What nearly every language has: three helps, one book, two games and the sky."""
    locale = locale or code
    return (
        Source(f"libreoffice-help-{code}", "office help", "MPL-2.0", "*/text/*.html", read_markup),
        Source(f"gimp-help-{code}", "graphics help", "GFDL-NIV-1.2+", f"*/help/{locale}/*.html", read_markup),
        Source("gnome-user-docs", "desktop help", "CC-BY-SA-3.0", f"*/help/{locale}/*.page", read_markup),
        Source(
            "debian-handbook",
            "technical book",
            "GPL-2+ or CC-BY-SA-3.0",
            f"*/{book}/*.html",
            read_markup,
        ),
        Source("widelands-data", "game texts", "GPL-2+", f"*/{locale}/LC_MESSAGES/*.mo", read_catalogue),
        Source(
            "wesnoth-1.16-data",
            "game texts",
            "GPL-2+",
            f"*/{locale}/LC_MESSAGES/*.mo",
            read_catalogue,
        ),
        Source("stellarium-data", "sky lore", "GPL-2+", f"*/description.{locale}.utf8", read_markup),
        *_stories(read_catalogue, locale),
    )


def _music(code: str) -> Source:
    package = f"lilypond-doc-html-{code}"
    return Source(package, "music help", "GFDL-1.3+", f"*.{code}.html", read_markup)


def _administration(code: str) -> tuple[Source, ...]:
    guide = f"*/installation-guide-amd64/{code}/*.html"
    return (Source("installation-guide-amd64", "system administration", "GPL-2", guide, read_markup),)


def _desktop(code: str, *packages: str) -> tuple[Source, ...]:
    pattern = f"*/help/{code}/*.page"
    return tuple(Source(name, "desktop help", "CC-BY-SA-3.0", pattern, read_markup) for name in packages)


def _fortunes(package: str, pattern: str, licence: str = "GPL-2+") -> Source:
    return Source(package, "quotations", licence, pattern, read_fortunes)


ENGLISH = Language(
    "English",
    LATIN,
    "the of and to is that it he you",
    (
        Source("anarchism", "essays", "GPL-2", "*/html/*.html", read_markup),
        Source("sword-text-web", "scripture", "public domain", "*.bzz", read_sword),
        Source("wordnet-base", "definitions", "WordNet-3.0", "*/data.*", read_glosses),
        _fortunes("fortunes", "*/fortunes/*", "BSD and public domain"),
        _fortunes("fortunes-min", "*/fortunes/*", "BSD and public domain"),
        _fortunes("fortune-anarchism", "*/fortunes/*", "GPL-3+ and public domain"),
        Source("jargon-text", "lexicon", "public domain", "*/jargon.txt.gz", read_text),
        Source("libreoffice-help-en-us", "office help", "MPL-2.0", "*/text/*.html", read_markup),
        Source("gimp-help-en", "graphics help", "GFDL-NIV-1.2+", "*/en/*.html", read_markup),
        Source("gnome-user-docs", "desktop help", "CC-BY-SA-3.0", "*/help/C/*.page", read_markup),
        Source(
            "debian-handbook",
            "system administration",
            "GPL-2+ or CC-BY-SA-3.0",
            "*/en-US/*.html",
            read_markup,
        ),
        Source("debian-reference-en", "system administration", "GPL-2+", "*.en.html", read_markup),
        Source("stellarium-data", "sky lore", "GPL-2+", "*/description.en.utf8", read_markup),
        Source("widelands-data", "game texts", "GPL-2+", "*/de/LC_MESSAGES/*.mo", read_originals),
        *_stories(read_originals, "de"),
    ),
    held_out="stories",
)

LANGUAGES = {
    "en": ENGLISH,
    "de": Language(
        "German",
        LATIN + "äöüß",
        "der die und das ist nicht ein zu den",
        (*_translated("de", "de-DE"), _fortunes("fortunes-de", "*/fortunes/de/*")),
        held_out="technical book",
    ),
    "fr": Language(
        "French",
        LATIN,
        "le la les de des et est pour que",
        (*_translated("fr", "fr-FR"), _music("fr")),
        held_out="technical book",
    ),
    "es": Language(
        "Spanish",
        LATIN + "ñ",
        "el la los de que en y un para",
        (
            *_translated("es", "es-ES"),
            _fortunes("fortunes-es", "*/fortunes/es/*"),
            Source("sword-text-sparv", "scripture", "public domain", "*.bzz", read_sword),
        ),
        held_out="technical book",
    ),
    "it": Language(
        "Italian",
        LATIN,
        "il la di che un per non e le",
        (
            *_translated("it", "it-IT"),
            _fortunes("fortunes-it", "*/fortunes/it/*", "quotations, not copyrighted"),
        ),
        held_out="technical book",
    ),
    "pt": Language(
        "Portuguese",
        LATIN,
        "o a de que um para não e os",
        (
            *_translated("pt", "pt-BR"),
            *_translated("pt-br", "pt-BR", "pt_BR"),
            _fortunes("fortunes-br", "*/fortunes/*"),
        ),
        held_out="technical book",
    ),
    "nl": Language(
        "Dutch",
        LATIN,
        "de het een van en niet op te dat",
        (
            *_translated("nl", "nl-NL"),
            *_administration("nl"),
            *_desktop("nl", "evince-common", "epiphany-browser-data", "gthumb-data", "totem-common"),
            Source("aptitude-doc-nl", "system administration", "GPL-2+", "*/nl/*.html", read_markup),
            Source("debian-edu-doc-nl", "school administration", "GPL-2+", "*.html", read_markup),
            Source("debian-faq-nl", "system administration", "GPL-2+", "*.html", read_markup),
            _music("nl"),
        ),
        held_out="sky lore",
        caps=WHOLE_OFFICE_HELP,
    ),
    "ru": Language(
        "Russian",
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "и в не на с что для как это",
        (*_translated("ru", "ru-RU"), _fortunes("fortunes-ru", "*/fortunes/ru/*")),
        held_out="technical book",
    ),
    "el": Language(
        "Greek",
        "αβγδεζηθικλμνξοπρστυφχψω",
        "και το να η του της την με για",
        (
            *_translated("el", "el-GR"),
            *_administration("el"),
            *_desktop("el", "evolution-common", "evince-common", "orca", "gedit-common", "seahorse", "eog"),
            Source(
                "gnome-devel-docs",
                "programming help",
                "CC-BY-SA-3.0",
                "*/help/el/*.page",
                read_markup,
            ),
        ),
        held_out="stories",
        caps=WHOLE_OFFICE_HELP,
    ),
}
