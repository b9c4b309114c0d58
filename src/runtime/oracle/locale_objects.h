// SPDX-License-Identifier: Apache-2.0
// What libstdc++'s locales remember on the heap: a facet which characters it has widened and
// narrowed, a locale the punctuation of numbers and money. It is written by whoever needs it first,
// without a lock, and whoever finds it does not wait for that: no program's business.
#pragma once

#include <cstdint>

namespace jostle::rt {

// Before the first question.
void find_locale_caches();

bool is_remembered_by_locale(uintptr_t address);

}  // namespace jostle::rt
