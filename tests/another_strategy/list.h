// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/strategy_list.h"
JOSTLE_LISTED(kBackwards)
