// SPDX-License-Identifier: Apache-2.0
// A unit of a divided search (divided_search.h) on its way to whoever explores it, and the answer.
//
// A unit:    how many runs are to be made, whether states are to be published, the ticket, what is
//            to be explored (UnitKind), the tree
// An answer: whether it is only a part, the counts, the first step, what was found for others,
//            states that are published, what is left
#pragma once

#include <cstdint>

#include "src/strategy/dpor/work/byte_stream.h"
#include "src/strategy/dpor/work/step_bytes.h"
#include "src/strategy/dpor/work/work_tree.h"

namespace jostle::dpor {

enum class UnitKind : uint8_t {
  whole,  // everything
  work,   // as it was claimed
  rest,   // what an earlier unit has left
};

struct UnitCounts {
  uint64_t runs = 0;  // all that were made
  uint64_t explored = 0, blocked = 0, deadlocks = 0, redundant = 0;
  uint64_t estimate = 0;  // of the explored, when the unit is done
  uint64_t noted = 0;     // Assumption bits, and those of noted_locks.h
  uint64_t gap = 0, gap_pc = 0;
  bool is_broken = false;  // the search cannot go on
};

void write_counts(ByteWriter& to, const UnitCounts& counts);
UnitCounts read_counts(ByteReader& from);

void write_work(ByteWriter& to, const StepBytes& steps, const ThreadNames& threads,
                const Work& work);
bool read_work(ByteReader& from, const StepBytes& steps, ThreadNames& threads,
               EngineVector<Part>& parts, Work& work);

void write_state(ByteWriter& to, const StepBytes& steps, const ThreadNames& threads,
                 const PublishedState& state);
bool read_state(ByteReader& from, const StepBytes& steps, ThreadNames& threads,
                EngineVector<Part>& parts, PublishedState& state);

void write_steps(ByteWriter& to, const StepBytes& steps, const ThreadNames& threads,
                 const Step* list, size_t count);
bool read_steps(ByteReader& from, const StepBytes& steps, ThreadNames& threads,
                EngineVector<Part>& parts, EngineVector<Step>& list);

}  // namespace jostle::dpor
