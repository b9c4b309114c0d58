# SPDX-License-Identifier: Apache-2.0
"""./dev bench real: source packages of the distribution, built with Jostle's compilers and searched.

packages/   one recipe a package: what it needs, how it is built, what is run, what was judged of its findings
drivers/    programs of ours where a package brings no small thread test, as a user would write them
recipe.py   a recipe as data
places.py   where things are
guest.py    commands run as a user who cannot change the machine
source.py   the distribution's source, by a private configuration of apt
build.py    builds with gcc and with `jostle cc`, and what that costs
trial.py    doctor, fuzz and verify of one program
judged.py   which verdict a finding has
store.py    what was run before
page.py     docs/results-real.md
"""
