// SPDX-License-Identifier: Apache-2.0
// A campaign as a folder, in which any number of workers on any machines search together:
//
//   campaign.json            what is searched, and how; written once by the first worker
//   stop                     it is there: workers end
//   inputs/<hash>            inputs worth to go on from; not bound to a build
//   <build>/                 all that means something for one build only
//     w000017/               one writer: worker 17 (w000017.1: started again)
//       info.json            host, process, seed
//       heartbeat            how it is; renewed every ten seconds
//       0000000001.seg …     segments (segment.h)
//     findings/<failure>/    a failure, complete from the moment it is there
//     distilled/             what `jostle merge` makes of the segments
//
// Rules, because nobody locks anything:
// 1. A file but the heartbeat never changes once it has its name (new_file.h).
// 2. Nobody writes into the folder of another worker, and no worker's name is used twice.
// 3. Readers ignore what they cannot make sense of, and count it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/support/error.h"

namespace jostle::cli {

// What all workers of a campaign have in common.
struct CampaignDescription {
  std::string program;  // its name
  std::string path;     // as the first worker was given it
  std::vector<std::string> arguments = {};
  // What runs are made and what fails: an option as typed, and its value.
  std::vector<std::pair<std::string, std::string>> settings = {};
  uint64_t seed = 0;
};

class CampaignFolder {
 public:
  // The campaign in this folder; with `own` one is begun if there is none. An error if it is of
  // another program or has other options. `seed_given`: then it is to be that one, too.
  static Result<CampaignFolder> join(const std::string& path, const CampaignDescription& own,
                                     bool seed_given);
  // One that is there.
  static Result<CampaignFolder> open(const std::string& path);
  static bool is_one(const std::string& path);

  const std::string& path() const { return path_; }
  const CampaignDescription& description() const { return description_; }
  std::string inputs() const { return path_ + "/inputs"; }
  std::string build(const std::string& id) const { return path_ + "/" + id; }
  std::string findings(const std::string& id) const { return build(id) + "/findings"; }
  std::string distilled(const std::string& id) const { return build(id) + "/distilled"; }
  // Folders of builds, those that workers joined last at the end.
  std::vector<std::string> builds() const;
  // The last of them. `tells`: a line on stderr when there are others.
  Result<std::string> last_build(bool tells) const;

  bool is_stopped() const;
  MaybeError stop() const;
  // False: it was not stopped.
  Result<bool> undo_stop() const;

 private:
  CampaignFolder(std::string path, CampaignDescription description)
      : path_(std::move(path)), description_(std::move(description)) {}
  static Result<CampaignFolder> read(const std::string& path);

  std::string path_;
  CampaignDescription description_;
};

// w000017, w000017.2
bool is_worker_name(std::string_view name);

}  // namespace jostle::cli
