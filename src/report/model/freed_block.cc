// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/freed_block.h"

#include "src/report/words/record_view.h"

namespace jostle::report {

const channel::ObjectRecord* freed_block(const channel::RunRecord& record) {
  if (record.end.outcome != channel::Outcome::heap_error) return nullptr;
  for (const channel::ObjectRecord& object : objects(record)) {
    const bool is_it =
        object.address == record.end.address && object.region == channel::Region::heap;
    if (is_it && object.freed != 0 && object.freed_by != kNoThread) return &object;
  }
  return nullptr;
}

}  // namespace jostle::report
