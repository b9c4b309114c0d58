// SPDX-License-Identifier: Apache-2.0
// What a property draws in a run, and from whom.
#pragma once

#include "src/base/kept.h"
#include "src/schedule/input_record.h"
#include "src/strategy/inputs/input_source.h"

namespace jostle::rt {

// Who decides about the values; null: everything is as simple as can be. The engine's business.
extern JOSTLE_HIDDEN InputSource* g_inputs;

// The same input again: the draws of one run, for GivenInputs.
void copy_draws(const channel::Draws& from, channel::Draws& to);

}  // namespace jostle::rt
