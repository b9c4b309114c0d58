// SPDX-License-Identifier: Apache-2.0
// What an exploration of all executions has shown, and what that holds for.
#pragma once

#include <string>
#include <vector>

#include "src/cli/findings/stats.h"

namespace jostle::cli {

struct Proof {
  enum class Kind {
    none,        // not all executions were to be explored
    verified,    // all executions were explored, and none fails
    failed,      // one does
    bounded,     // all within the bound were explored, and none fails
    incomplete,  // none of those that were explored fails
  };
  Kind kind = Kind::none;
  std::string why = {};                       // it is incomplete
  std::vector<std::string> assumptions = {};  // what it holds for
};

Proof proof_of(const CampaignResult& result);

// What a worker of a search that several share tells the others of its runs.
SearchNotes search_notes(const CampaignResult& result);

// "verified", …
std::string_view name(Proof::Kind kind);

// Different ones that were run.
uint64_t executions(const channel::Exploration& explored);

// "VERIFIED: all 1,734 executions explored in 0.4 s, none fails", and lines below it. Empty
// without a proof.
std::vector<std::string> proof_lines(const CampaignResult& result, const Proof& proof);

// Keys `verdict`, `executions`, `blocked`, `deadlocks`, `estimate`, `bound`, `assumptions`.
void add_proof(const CampaignResult& result, report::Json& json);

}  // namespace jostle::cli
