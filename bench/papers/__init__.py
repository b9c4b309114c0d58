# SPDX-License-Identifier: Apache-2.0
"""The tables of the papers with our columns beside them: ./dev bench papers.

A table is a module below tables/; it says which cells (a program, a method, so many trials) it needs and
turns their outcomes into a section of the results page. Everything else is shared:

    subjects.py   the programs, from subjects/manifest.csv     published.py  the papers' figures, from bench/data
    work.py       cells, trials, outcomes: data only           campaign.py   one trial of jostle
    native.py     one trial of the plain program in a loop     native_fuzzer.py  the same under a fuzzer
    runner.py     all trials, remembered in store.py
    survival.py   statistics where some trials miss            section.py    what a table returns
    markdown.py   tables as text                               svg.py        plots
    page.py       the results page

No module needs more than the standard library.
"""
