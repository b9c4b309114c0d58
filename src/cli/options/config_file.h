// SPDX-License-Identifier: Apache-2.0
// jostle.toml: options that need not be typed. `docs/configuration.md` is for users.
//
// Keys are the commands' long options, at the top for every command that has such an option, in a
// table for the command of that name. CommandLine applies them before what was typed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/options/toml_reader.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

inline constexpr char kConfigName[] = "jostle.toml";

struct ConfigFile {
  std::string path;    // as messages show it; empty: there is none
  std::string folder;  // that paths in it are relative to; empty: the current one
  TomlDocument document = {};

  // "../jostle.toml:3:8"
  std::string place(const TomlPosition& at) const;
};

// The file that holds in this folder: the nearest one upwards. The search ends at the home folder,
// and at one with `.git`, the top of a repository. Empty: none.
std::string find_config_file();

// `path` empty: the one that is found; one that is named has to be there.
Result<ConfigFile> load_config_file(const std::string& path);

// The path of an option's value that the file has.
std::string from_folder(const ConfigFile& file, const std::string& value);

}  // namespace jostle::cli
