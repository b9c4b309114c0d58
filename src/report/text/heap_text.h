// SPDX-License-Identifier: Apache-2.0
// A failure of the heap as text: the block, who freed it, who allocated it.
#pragma once

#include <string>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// "" when the address of the failure is no block's. Of a leak: all places that lose memory.
// `few_lines`: see stack_lines; and of the places the first.
std::string heap_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                       bool few_lines, size_t columns = kColumns);

std::string leaks_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                        bool few_lines, size_t columns = kColumns);

// "8 bytes behind a heap block of 32 bytes"
std::string place_in_block(const channel::ObjectRecord& object);

}  // namespace jostle::report
