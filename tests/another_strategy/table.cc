// SPDX-License-Identifier: Apache-2.0
// The table of a release, with the list that is longer by a line.
#define JOSTLE_STRATEGY_LIST "tests/another_strategy/list.h"
#include "src/strategy/strategy_table.cc"
