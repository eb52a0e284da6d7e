#!/usr/bin/env python3
"""Lexemes of Ukrainian and Russian with the frequencies of their forms: lexemes.py UKRAINIAN.tsv FOLDER.

Writes FOLDER/lex-{uk,ru}.tsv: folded form, lexeme (lemma/part of speech), its share of the form's frequency per million,
the lexeme's frequency; and FOLDER/words-{uk,ru,en}.tsv: words with their frequencies. Only lexemes with a form that wordfreq knows. Shares are found by expectation maximisation: a form's
frequency goes to its lexemes as theirs is."""
import collections
import pathlib
import re
import sys

import pymorphy3
import wordfreq

UKRAINIAN_PARTS = {"noun": "n", "adj": "a", "verb": "v", "adv": "d", "advp": "v", "numr": "q"}
RUSSIAN_PARTS = {
    "NOUN": "n", "ADJF": "a", "ADJS": "a", "COMP": "a", "VERB": "v", "INFN": "v", "PRTF": "v", "PRTS": "v",
    "GRND": "v", "ADVB": "d", "NUMR": "q", "NPRO": "x", "PRED": "d",
}  # fmt: skip
RARE = {"Arch", "Erro", "Dist", "Abbr", "Init"}
ROUNDS = 12
FREQUENCY_UNKNOWN = 0.002


def fold(word):
    plain = re.sub(r"[^\w]+|_|ʼ", "", word.lower())
    return plain.replace("ё", "е").replace("ґ", "г").replace("\u0301", "")


def ukrainian(path):
    for line in open(path, encoding="utf-8"):
        word, lemma, tags = line.rstrip("\n").split("\t")
        if "-" in word:
            continue
        for tag in tags.split("|"):
            part = UKRAINIAN_PARTS.get(tag.split(":")[0])
            if part and ":bad" not in tag and ":abbr" not in tag:
                yield word, lemma, part
            elif not part and tag.split(":")[0] not in ("prep", "part", "conj", "intj"):
                yield word, lemma, "x"


def russian():
    for word, tag, lemma, *_ in pymorphy3.MorphAnalyzer(lang="ru").dictionary.iter_known_words():
        part = RUSSIAN_PARTS.get(str(tag.POS))
        if "-" not in word and part and not (RARE & set(tag.grammemes)):
            yield word, lemma, part


def main(path, folder):
    for lang, source in (("uk", ukrainian(path)), ("ru", russian())):
        frequency = collections.Counter()
        for word, share in wordfreq.get_frequency_dict(lang, "large").items():
            if "-" not in word:
                frequency[fold(word)] += share * 1e6
        ids, names, forms = {}, [], collections.defaultdict(set)
        for word, lemma, part in source:
            key = f"{fold(lemma)}/{part}"
            if key not in ids:
                ids[key] = len(names)
                names.append(key)
            forms[fold(word)].add(ids[key])
        mass = [0.0] * len(names)
        for word, lexemes in forms.items():
            for lexeme in lexemes:
                mass[lexeme] += frequency.get(word, 0.0) / len(lexemes)
        for _ in range(ROUNDS):
            after = [1e-6] * len(names)
            for word, lexemes in forms.items():
                share = frequency.get(word)
                if not share:
                    continue
                total = sum(mass[lexeme] for lexeme in lexemes)
                for lexeme in lexemes:
                    after[lexeme] += share * mass[lexeme] / total
            mass = after
        with open(folder / f"lex-{lang}.tsv", "w", encoding="utf-8") as out:
            for word, lexemes in forms.items():
                share = frequency.get(word, FREQUENCY_UNKNOWN)
                total = sum(mass[lexeme] for lexeme in lexemes)
                for lexeme in sorted(lexemes, key=lambda one: -mass[one]):
                    if mass[lexeme] > 2e-6:
                        own = share * mass[lexeme] / total
                        out.write(f"{word}\t{names[lexeme]}\t{own:.4g}\t{mass[lexeme]:.4g}\n")
    for lang in ("uk", "ru", "en"):
        with open(folder / f"words-{lang}.tsv", "w", encoding="utf-8") as out:
            for word, share in wordfreq.get_frequency_dict(lang, "large").items():
                out.write(f"{word}\t{share * 1e6:.4g}\n")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
