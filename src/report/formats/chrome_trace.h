// SPDX-License-Identifier: Apache-2.0
// A failing run in the Chrome trace event format: opens in Perfetto (ui.perfetto.dev) and
// chrome://tracing.
//
// There is no real time in a controlled run: one event lasts ten microseconds. Each thread is a
// track with a slice per stretch in which it ran and, inside, a slice per event; locks and waits
// are asynchronous slices, because they overlap; arrows lead from a write to the reads that
// observed it in other threads, and from a preempted thread to the one that ran instead.
#pragma once

#include <string>

#include "src/report/model/trace_model.h"

namespace jostle::report {

std::string chrome_trace_text(const TraceModel& model);

}  // namespace jostle::report
