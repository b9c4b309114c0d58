// SPDX-License-Identifier: Apache-2.0
// The search for inputs of whole programs (`jostle fuzz --input`), beside that for schedules.
//
// The program reads its input from a file in memory, whose content is replaced between runs. Turns
// are taken in rounds: an input that is worth it runs as it is, which also tells what the program
// compares with; then it is run with changes; and in between again as it is, because a promising
// input deserves more than one schedule. What covers something new joins the pool.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/schedule/channel.h"
#include "src/schedule/feedback.h"
#include "src/schedule/input_pool.h"

namespace jostle::engine {

class InputFuzzer {
 public:
  explicit InputFuzzer(channel::Channel& channel) : channel_(channel) {}

  // Does nothing at all unless the campaign wants it.
  void start();
  bool active() const { return pool_ != nullptr; }

  // Prepares the input of schedule `number`.
  void begin(uint64_t number);
  // The run is over; nothing has been rewound that it left for us.
  void after_run();
  // Keeps the input of schedule `number`, which has just been run and failed.
  void keep(uint64_t number);

 private:
  void begin_round();
  uint32_t choose_entry();
  void load(uint32_t entry);
  void write_file();

  channel::Channel& channel_;
  InputPool* pool_ = nullptr;
  Feedback* feedback_ = nullptr;
  Feedback* hints_ = nullptr;  // of the round's first run
  Rng rng_;
  uint8_t* input_ = nullptr;
  uint32_t size_ = 0, room_ = 0;
  uint32_t next_given_ = 0;  // of the corpus, to be run as it is
  uint32_t entry_ = InputPool::kNone;
  uint32_t turn_ = 0, turns_ = 0;  // of the round
  bool changed_ = false;           // the input is not the entry's
  bool kept_ = false;
  int file_ = -1;
};

}  // namespace jostle::engine
