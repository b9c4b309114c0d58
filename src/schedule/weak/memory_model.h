// SPDX-License-Identifier: Apache-2.0
// Which executions a run may have.
#pragma once

#include <cstdint>

namespace jostle::channel {

enum class MemoryModel : uint32_t {
  sequential,  // an atomic load reads the newest store
  c11,         // … or one that C++'s memory model allows, in some runs
  // Of a campaign: sequential until a run had an operation weaker than seq_cst, from then on c11.
  // Of a run that follows a schedule: as that run was. No run has it.
  automatic,
};

}  // namespace jostle::channel
