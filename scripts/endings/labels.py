#!/usr/bin/env python3
"""What each form is to become: labels.py FOLDER -> FOLDER/examples.tsv: folded form, label, weight.

A label is the stem of the lexeme: its lemma without the ending, marked by a digit where two common unrelated lexemes would
fall together. Both languages are in one list: a word spelled alike in both gets the label of the reading that is more
frequent, Ukrainian ones counting UKRAINIAN_WEIGHT times."""
import collections
import pathlib
import re
import sys

FOLDER = pathlib.Path(sys.argv[1])
UKRAINIAN_WEIGHT = 2.0
NORM = str.maketrans("іїєґыэ", "ииегие")
V = "аеиоуіїєыэюя"
def strip(l, p):
    s = l
    if p == "v":
        s = re.sub(r"(ся|сь)$", "", l)
        s = re.sub(r"(ти|ть|чь)$", "", s)
    elif p == "a": s = re.sub(r"(ий|ій|їй|ый|ой)$", "", l)
    elif p == "d": s = re.sub(r"[оеи]$", "", l) if len(l) > 4 else l
    elif p in "nq": s = re.sub(r"(?<=.)[аяоеєьйиіыї]$", "", l)
    if len(s) < 3: s = l
    return s
def label(l, p):
    s = strip(l, p).replace("ъ", "").replace("ь", "").replace("ґ", "г")
    return s.translate(NORM) if len(s) >= 5 else s
votes = {"uk": collections.defaultdict(dict), "ru": collections.defaultdict(dict)}
mass = collections.Counter()
for lang in votes:
    for line in open(FOLDER / f"lex-{lang}.tsv", encoding="utf-8"):
        w, lex, share, m = line.rstrip("\n").split("\t")
        votes[lang][w][lex] = float(share)
        mass[lang, lex] = float(m)
# Ukrainian adverbial participles are lexemes of their own in the source: знаючи is знають, отримавши отримав.
def best(w):
    ls = [(s, l) for l, s in votes["uk"].get(w, {}).items() if l.endswith("/v")]
    return max(ls)[1] if ls else None
for w, ls in list(votes["uk"].items()):
    m = re.fullmatch(r"(.+?)(чи|ши)(сь)?", w)
    if not m or f"{w}/v" not in ls: continue
    root, end, back = m.groups()
    verb = best(root + ("ть" if end == "чи" else "") + ("ся" if back else "")) or (best(root + ("ть" if end == "чи" else "")) if back else None)
    if verb and verb != f"{w}/v": ls[verb] = ls.pop(f"{w}/v") + ls.get(verb, 0)
# Collisions: lexemes of one language with one label, other lemma and part of speech or ending, both common.
by = collections.defaultdict(list)
for (lang, lex), m in mass.items():
    l, p = lex.rsplit("/", 1)
    by[lang, label(l, p)].append((m, lex))
mark = {}
for (lang, lab), ls in by.items():
    ls.sort(reverse=True)
    kinds = []
    for m, lex in ls:
        l, p = lex.rsplit("/", 1)
        k = {"d": "a", "q": "n", "x": "n"}.get(p, p)
        # Nouns of one stem with other endings are other words; a verb and its reflexive, an adjective and its adverb are one.
        key = (k, re.sub(r"[ьй]$", "", l) if k == "n" and len(l) <= 6 else "") if m >= 8 else None
        if key is None: key = next((x for x in kinds if x[0] == k), kinds[0] if kinds else (k, ""))
        if key not in kinds: kinds.append(key)
        mark[lang, lex] = kinds.index(key)
# Cognates: a Russian lexeme takes the label of the Ukrainian one of the same part of speech that shares its forms (хотеть and хотіти: хочу).
shared = collections.Counter()
for w in votes["uk"].keys() & votes["ru"].keys():
    for a, x in votes["uk"][w].items():
        for b, y in votes["ru"][w].items():
            if a[-1] == b[-1]: shared[b, a] += min(x, y)
cognate = {}
for (b, a), s in shared.items():
    la, lb = a[:-2], b[:-2]
    n = 0
    while n < min(len(la), len(lb)) and label(la, "x")[:n + 1] == label(lb, "x")[:n + 1]: n += 1
    if s >= (0.03 if n >= min(3, len(la) - 1) else 0.06 if n >= 2 else 0.1) * min(mass["uk", a], mass["ru", b]) and s > cognate.get(b, (0, ""))[0]: cognate[b] = (s, a)
# A reflexive verb is the verb without its ending, cognate and mark included: хочется and хочет, получается and получает.
def plain(lang, lex):
    base = re.sub(r"(ся|сь)/v$", "/v", lex)
    return base if (lang, base) in mark else lex
# The same mark in both languages for the same lemma where possible: by kind of the commonest reading.
def full(lang, lex):
    lex = plain(lang, lex)
    if lang == "ru":
        if lex in cognate: lang, lex = "uk", cognate[lex][1]
    l, p = lex.rsplit("/", 1); n = mark[lang, lex]
    return label(l, p) + (str(n) if n else "")
n = 0
with open(FOLDER / "examples.tsv", "w", encoding="utf-8") as o:
    for w in votes["uk"].keys() | votes["ru"].keys():
        d = collections.Counter()
        for lang, k in (("uk", UKRAINIAN_WEIGHT), ("ru", 1.0)):
            for lex, s in votes[lang].get(w, {}).items():
                d[full(lang, lex)] += k * s
        if d:
            (lab, s), = d.most_common(1)
            o.write(f"{w}\t{lab}\t{s:.4g}\n"); n += 1
print(n, "examples;", sum(1 for v in mark.values() if v), "lexemes marked")
