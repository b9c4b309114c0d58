// What a command found, for the formats that other tools read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/trace_model.h"

namespace jostle::report {

// A failure that did not show again in a fresh process.
struct Unconfirmed {
  std::string kind, summary, why;
};

struct RunResult {
  std::string command;  // "fuzz", "replay", "run"
  std::string version;  // of jostle
  std::string program;
  std::vector<std::string> arguments = {};
  std::string directory = {};  // files below it are named relative to it; absolute
  uint64_t schedules = 1;
  double seconds = 0;
  int exit_code = 0;
  std::string problem = {};  // why the command could not do its work; empty: it did
  std::vector<TraceModel> failures = {};
  std::vector<Unconfirmed> unconfirmed = {};
};

}  // namespace jostle::report
