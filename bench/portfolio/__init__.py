# SPDX-License-Identifier: Apache-2.0
"""What the default strategy loses by not knowing which of its members is the right one.

programs.py   which programs there are, and how they are built at -O0 and -O1
trials.py     one campaign until the first failure, and the file that has all of them
regret.py     tables: portfolio over the best member
injector.py   puts bugs that need k ordered accesses into small correct programs
injected.py   how many of them are found after 10, 50, 100, 500 runs
programs/     tuning: programs that changes of the search may be tried on; apart: never
bases/        correct programs that bugs are put into
"""
