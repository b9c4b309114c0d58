// SPDX-License-Identifier: Apache-2.0
// `--input`: the corpus of inputs of a campaign, and what it finds. The program reads its input
// from descriptor 0, also where it is given a file: `@@` in its arguments is /dev/stdin. So a
// failing input is a standard input like any other when the failure is confirmed, minimised and
// replayed.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/folder/segment.h"
#include "src/cli/support/error.h"
#include "src/cli/target/shared_memory.h"
#include "src/cli/target/standard_input.h"
#include "src/schedule/input_pool.h"

namespace jostle::cli {

// The name of a failing input beside its replay file.
inline constexpr char kInputFileName[] = "input";

class FuzzInputs {
 public:
  // Reads the corpus: a folder of files, or one file. A folder that does not exist is made; an
  // empty corpus begins with an empty input.
  static Result<FuzzInputs> open(const std::string& corpus);

  // Targets that are started from now on find them.
  void announce() const;
  // The input with which this schedule failed.
  std::string failing(uint64_t schedule) const;
  // Writes the inputs that covered something new into the corpus; how many they were.
  Result<size_t> save_found();
  // With all workers of a campaign: reads what is in this folder, and from now on puts there what
  // is found, instead of into the corpus.
  MaybeError share(const std::string& folder);
  // What was put there since the last call.
  std::vector<InputNews> take_news() { return std::exchange(news_, {}); }
  // What others have put there. One that has not arrived yet is asked for again the next time.
  void add_from_others(std::vector<InputNews> inputs);
  size_t saved() const { return saved_; }
  size_t given() const { return given_; }

 private:
  std::string bytes_of(const InputPool::Entry& entry) const;
  MaybeError write(const std::string& bytes);
  bool add_shared(const std::string& path, uint64_t hash);
  FuzzInputs(Shared<InputPool> pool, std::string folder, size_t given)
      : pool_(std::move(pool)), folder_(std::move(folder)), given_(given) {}

  Shared<InputPool> pool_;
  std::string folder_;  // empty: the corpus is a single file
  size_t given_;
  std::vector<bool> done_;  // entries that were looked at by save_found
  size_t saved_ = 0;
  bool is_shared_ = false;
  std::set<uint64_t> shared_;         // hashes of what the campaign's folder has
  std::vector<InputNews> news_;       // for the others
  std::vector<InputNews> to_arrive_;  // announced by others, but not there yet
};

// `@@` in the arguments is where the program reads its input.
std::vector<std::string> with_input_path(std::vector<std::string> arguments);

// A standard input of these bytes.
Result<StandardInput> input_of_bytes(const std::string& bytes);

}  // namespace jostle::cli
