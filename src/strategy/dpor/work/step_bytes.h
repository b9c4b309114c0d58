// SPDX-License-Identifier: Apache-2.0
// Steps as bytes: with the names of their thread and objects and with their choices, so that the
// numbers of the one who reads may be others.
#pragma once

#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"
#include "src/strategy/dpor/wakeup_tree.h"
#include "src/strategy/dpor/work/byte_stream.h"

namespace jostle::dpor {

class StepBytes {
 public:
  StepBytes(FootprintTable* footprints, ChoicePaths* paths)
      : footprints_(footprints), paths_(paths) {}

  void write(ByteWriter& to, const ThreadNames& threads, const Step& step) const;
  // `parts`: memory that the caller has anyway.
  Step read(ByteReader& from, ThreadNames& threads, EngineVector<Part>& parts) const;

  // What WakeupTree::list_from gives.
  void write(ByteWriter& to, const ThreadNames& threads,
             const EngineVector<WakeupTree::Planned>& planned) const;
  // False: it is no such list.
  bool read(ByteReader& from, ThreadNames& threads, EngineVector<Part>& parts,
            EngineVector<WakeupTree::Planned>& planned) const;

 private:
  FootprintTable* footprints_;
  ChoicePaths* paths_;
};

}  // namespace jostle::dpor
