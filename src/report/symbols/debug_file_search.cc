// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/debug_file_search.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace jostle::report {
namespace {

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Is there a file of this name where one for a module in `folder` may be? Beside it, in .debug, or
// in /usr/lib/debug under the folder's path or the end of that.
bool may_be_found(std::string_view folder, const std::string& name) {
  const std::string beside(folder);
  if (exists(beside + "/" + name) || exists(beside + "/.debug/" + name)) return true;
  for (std::string_view rest = folder;;) {
    if (exists("/usr/lib/debug" + std::string(rest) + "/" + name)) return true;
    const size_t slash = rest.find('/', 1);
    if (rest.empty()) return false;
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  }
}

bool may_be_found_for(const std::string& file, const char* link) {
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return true;  // relative to whatever: not for us to say
  const std::string name = link != nullptr ? link : file.substr(slash + 1) + ".debug";
  return may_be_found(std::string_view(file).substr(0, slash), name);
}

bool has_servers() {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  return servers != nullptr && servers[0] != '\0';
}

}  // namespace

int find_debug_file(Dwfl_Module* module, void** userdata, const char* module_name, Dwarf_Addr base,
                    const char* file, const char* link, GElf_Word link_crc, char** found) {
  const auto standard = [&] {
    return dwfl_standard_find_debuginfo(module, userdata, module_name, base, file, link, link_crc,
                                        found);
  };
  if (has_servers() || file == nullptr) return standard();
  const int by_id = dwfl_build_id_find_debuginfo(module, userdata, module_name, base, file, link,
                                                 link_crc, found);
  if (by_id >= 0 || *found != nullptr) return by_id;
  if (may_be_found_for(file, link)) return standard();
  char* const real = realpath(file, nullptr);
  const bool elsewhere = real == nullptr || may_be_found_for(real, link);
  std::free(real);
  return elsewhere ? standard() : -1;
}

}  // namespace jostle::report
