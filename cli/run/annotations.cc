// SPDX-License-Identifier: BSD-3-Clause
// annotations.cc - which variable the program's Kokkos looks at: until 3.6 one, since then another, and it complains
// about the first.

#include "cli/run/annotations.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>
#include <system_error>

#include "base/text.hpp"
#include "loader/elf_file.hpp"
#include "request/tool_file.hpp"

namespace cairn::cli {

namespace {

constexpr const char* new_variable = "KOKKOS_TOOLS_LIBS";
constexpr const char* old_variable = "KOKKOS_PROFILE_LIBRARY";

/// Reads the program, and the libraries below it by way of those that their names tell of.
class KokkosSearch {
 public:
  explicit KokkosSearch(const std::string& program) { visit(program); }
  bool found_old() const { return found_old_ && !found_new_; }

 private:
  static bool may_lead_there(std::string_view library) {
    return library.find("kokkos") != std::string_view::npos || library.find("trilinos") != std::string_view::npos;
  }

  void visit(const std::string& path) try {
    const ElfFile image = ElfFile::read(path);
    look_for_names(image.loadable_bytes());
    for (const std::string_view library : image.needed())
      if (may_lead_there(library) && seen_.emplace(library).second) visit_library(image, path, std::string(library));
  } catch (const ElfError&) {  // a script
  }

  void look_for_names(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    constexpr std::string_view beginning = "KOKKOS_";
    for (std::size_t at = text.find(beginning); at != std::string_view::npos; at = text.find(beginning, at + 1)) {
      found_new_ = found_new_ || text.substr(at).starts_with(new_variable);
      found_old_ = found_old_ || text.substr(at).starts_with(old_variable);
    }
  }

  void visit_library(const ElfFile& user, const std::string& path, const std::string& name) {
    auto folders = own_library_folders(user.rpath(), user.runpath(), path);
    if (const char* const more = std::getenv("LD_LIBRARY_PATH"))
      for (const std::string_view folder : split(more, ':')) folders.emplace_back(folder);
    folders.insert(folders.end(), system_library_folders().begin(), system_library_folders().end());
    std::error_code none;
    for (const std::string& folder : folders)
      if (const std::string file = folder + "/" + name; std::filesystem::exists(file, none)) return visit(file);
  }

  bool found_new_ = false;
  bool found_old_ = false;
  std::set<std::string, std::less<>> seen_;
};

void offer(const char* name, const std::string& library) {
  if (std::getenv(name) == nullptr) setenv(name, library.c_str(), 1);
}

}  // namespace

void offer_annotations(const std::string& library, const std::string& program) {
  if (std::getenv(new_variable) == nullptr && std::getenv(old_variable) == nullptr)
    offer(KokkosSearch(program).found_old() ? old_variable : new_variable, library);
  offer("NVTX_INJECTION64_PATH", library);
}

}  // namespace cairn::cli
