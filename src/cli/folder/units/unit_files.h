// SPDX-License-Identifier: Apache-2.0
// `jostle verify --campaign`: the files of a search that is divided into units
// (strategy/dpor/work/divided_search.h), below the folder of a build:
//
//   verify/
//     libraries                   what the program consists of, and where it is in memory
//     k0123456789abcdef/          a search by those who know this of the program (k0…0: nothing)
//       learned/<hash>.w000017    runs have shown more: the search that counts is another one
//       doubts/<hash>.w000017     what worker 17 has explored may not be all there is
//       r000012/                  a round
//         u0007.w000017.lease     worker 17 explores unit 7, while it is alive
//         u0007.w000017.part      so far it came, when it was interrupted
//         u0007.w000017.done      the answer: the unit is closed
//
// All but leases, which are empty, are segments. What a unit's answer is does not depend on who
// wrote it, and which search counts depends on the files alone: everybody who sees the same files
// comes to the same verdict. Leases only spare the same work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/folder/segment.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

struct UnitFile {
  enum class Kind { lease, part, done };
  uint32_t unit = 0;
  std::string worker;
  Kind kind = Kind::lease;
};

std::string file_name(const UnitFile& file);
// In the order of units and workers.
std::vector<UnitFile> list_round(const std::string& folder);

std::string search_folder(const std::string& build);
std::string knowledge_folder(const std::string& build, uint64_t knowledge);
std::string learned_folder(const std::string& build, uint64_t knowledge);
std::string doubts_folder(const std::string& build, uint64_t knowledge);
std::string round_folder(const std::string& build, uint64_t knowledge, uint32_t round);

// Steps of units have names that depend on where code and memory are: a line for each library, of
// the first worker. An error: here they are others.
MaybeError same_libraries(const std::string& build, const std::string& own);

// What all files in `folder` have taught, each once, in order; `damaged`: files that were none.
std::vector<std::string> read_learned(const std::string& folder, std::vector<std::string>& damaged);
// The same for notes.
std::vector<std::string> read_notes(const std::string& folder, std::vector<std::string>& damaged);
// Its name; 0: nothing.
uint64_t hash_of(const std::vector<std::string>& learned);

// None: it is damaged, or not there.
std::optional<UnitRecord> read_unit(const std::string& path);

// Makes the folder that it is to be in.
MaybeError write_unit(const std::string& folder, const std::string& name, const UnitRecord& record);
MaybeError write_lease(const std::string& folder, const std::string& name);

}  // namespace jostle::cli
