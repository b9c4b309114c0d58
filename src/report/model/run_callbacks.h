// SPDX-License-Identifier: Apache-2.0
// The callbacks of a run for readers: which function the event loop called when, and for what.
//
// The runtime notes more than that for loops made of templates (Asio): every function that a frame
// of the loop enters. What is left here are the program's own handlers, by the name a reader knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"
#include "src/schedule/channel.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

struct Callback {
  uint32_t thread;  // index into the record's thread table
  std::string name;
  std::string file = {};
  int line = 0;
  std::string trigger = {};  // "timer", "descriptor 8"; empty: not known
  uint64_t begin = 0, end = 0;
  int64_t clock = 0;  // nanoseconds of virtual time
};

// In the order in which they began.
std::vector<Callback> callbacks_of(const channel::RunRecord& record, Symbolizer& symbols);

// "on_read", "lambda in main"; empty for what is the loop's own affair.
std::string callback_name(std::string_view function);

// "on_timer (server.cc:40, timer)"
std::string callback_text(const Callback& callback);

// A list of them, one column per thread; empty when there is nothing to tell.
std::string callbacks_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                            size_t most, size_t columns = kColumns);

// Where the callbacks of a failing run take another order than those of a passing one: "It fails
// when … runs before …". Empty when they do not, as far as both go.
std::string callback_difference(const std::vector<Callback>& failing,
                                const std::vector<Callback>& passing);

}  // namespace jostle::report
