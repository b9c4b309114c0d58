# SPDX-License-Identifier: Apache-2.0
"""One module per table. A module here is a table: nothing else has to be told about it.

It has
    ORDER                      where it stands on the page
    NAME                       for --only
    cells(subjects, plan)      the cells it needs (papers.work.Cell)
    section(subjects, results, plan)   its part of the page (papers.section.Section)
`plan` is what was asked for on the command line (papers.plan.Plan).
"""

import importlib
import pkgutil


def all_tables():
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return sorted(modules, key=lambda module: module.ORDER)
