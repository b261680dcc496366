// SPDX-License-Identifier: BSD-3-Clause
// pnmpi_file.cc - from PnMPI's lines to layers. Like PnMPI, it goes on after a line that it cannot use, and says so.

#include "cli/stack_file/pnmpi_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/program.hpp"
#include "request/tool_file.hpp"

namespace cairn::cli {

namespace {

using Words = std::vector<std::string>;

/// The words of a line without its comment.
Words words_of(std::string_view line) {
  Words words;
  std::string word;
  for (const char c : std::string(line.substr(0, line.find('#'))) + " ") {
    if (c != ' ' && c != '\t' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

/// A bundled tool of that name for any MPI; empty if there is none.
std::string bundled(const std::string& name) {
  try {
    for (const MpiFamily& family : mpi_families())
      if (std::string path = bundled_tools_folder(libcairn()) + "/" + std::string(family.id) + "/" + name + ".so";
          exists(path))
        return path;
  } catch (const Problem&) {  // not installed: whoever runs the program says so
  }
  return {};
}

/// A module that says nothing of options is a plain PMPI tool, which cannot be asked for arguments in PnMPI's way
/// either.
bool takes_options(const std::string& path) {
  try {
    return !parse_tool_about(ElfFile::read(path).exported_text("cairn_tool_about")).options.empty();
  } catch (const ElfError&) {
    return false;  // said when it is to be loaded
  }
}

struct Module {
  std::string name;
  LayerRequest request;
  bool takes_options;
  bool gets_pcontrol;
};

class Reader {
 public:
  Reader(std::string_view folders, const std::function<void(const std::string&)>& remark)
      : folders_(split(folders, ':')), remark_(remark) {}

  void read(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      ++line_;
      if (const Words words = words_of(line); !words.empty()) obey(words);
    }
    end_stack();
  }

  std::vector<LayerRequest> layers() {
    std::vector<LayerRequest> layers;
    for (Module& module : modules_) {
      if (!module.gets_pcontrol || no_pcontrol_) module.request.filters.push_back({"not", {"MPI_Pcontrol"}});
      layers.push_back(std::move(module.request));
    }
    return layers;
  }

 private:
  void say(const std::string& text) { remark_("line " + std::to_string(line_) + ": " + text); }

  void obey(const Words& words) {
    const std::string& command = words[0];
    if (command == "stack" && words.size() == 2) begin_stack(words[1]);
    else if (command == "globalpcontrol" && words.size() >= 2) set_global_pcontrol(words);
    else if (command == "module" && words.size() == 2) add_module(words[1]);
    else if (command == "argument" && words.size() >= 3) add_argument(words);
    else if (command == "pcontrol" && words.size() <= 2) set_pcontrol(words);
    else say("'" + join(words, " ") + "' is left out: it is not a PnMPI command");
  }

  void begin_stack(const std::string& name) {
    end_stack();
    if (!modules_.empty()) left_out_ = LeftOut{line_, name, 0};
  }

  void end_stack() {
    if (left_out_)
      remark_("line " + std::to_string(left_out_->line) + ": stack '" + left_out_->name + "' with " +
              std::to_string(left_out_->modules) + (left_out_->modules == 1 ? " module" : " modules") +
              " is left out: calls go through the first stack only");
    left_out_.reset();
  }

  void add_module(const std::string& name) {
    if (left_out_) {
      ++left_out_->modules;
      return;
    }
    Module module{name, {}, false, modules_.empty()};
    std::string file;
    for (const std::string_view folder : folders_)
      if (!folder.empty() && file.empty() && exists(std::string(folder) + "/" + name + ".so"))
        file = std::filesystem::absolute(std::string(folder) + "/" + name + ".so").lexically_normal().string();
    module.request.tool = file;
    if (file.empty()) {
      file = bundled(name);
      module.request.tool = file.empty() ? name + ".so" : name;
      if (file.empty()) say("there is no " + name + ".so in PNMPI_LIB_PATH");
    }
    module.takes_options = !file.empty() && takes_options(file);
    modules_.push_back(std::move(module));
  }

  /// Null, and said, if there is none that a line could be about.
  Module* current(const Words& words) {
    if (left_out_) return nullptr;
    if (modules_.empty()) say("'" + join(words, " ") + "' is left out: no module stands before it");
    return modules_.empty() ? nullptr : &modules_.back();
  }

  void add_argument(const Words& words) {
    Module* const module = current(words);
    if (module == nullptr) return;
    if (module->takes_options)
      module->request.options.push_back({words[1], join({words.begin() + 2, words.end()}, " ")});
    else say("argument '" + words[1] + "' is left out: module '" + module->name + "' takes no options");
  }

  void set_pcontrol(const Words& words) {
    Module* const module = current(words);
    if (module == nullptr) return;
    module->gets_pcontrol = words.size() == 1 || words[1] == "on";
    if (!module->gets_pcontrol && words[1] != "off")
      say("'" + join(words, " ") + "' is taken as 'pcontrol off', as PnMPI does");
  }

  /// Cairn passes MPI_Pcontrol on with all its arguments, which is as much as any of the modes does but for two.
  void set_global_pcontrol(const Words& words) {
    const std::string& mode = words[1];
    no_pcontrol_ = mode == "off";
    if (mode == "pnmpi" || mode == "mixed")
      say("'globalpcontrol " + mode + "' is left out: MPI_Pcontrol cannot select modules, it reaches all that are on");
    else if (const Words known{"on", "off", "pmpi", "int", "typed"}; std::ranges::find(known, mode) == known.end())
      say("'" + join(words, " ") + "' is left out: it is not a PnMPI command");
  }

  struct LeftOut {
    int line;
    std::string name;
    int modules;
  };
  std::vector<std::string_view> folders_;
  const std::function<void(const std::string&)>& remark_;
  std::vector<Module> modules_;
  std::optional<LeftOut> left_out_;
  bool no_pcontrol_ = false;
  int line_ = 0;
};

}  // namespace

bool is_pnmpi_file(std::string_view text) {
  const Words commands{"module", "stack", "globalpcontrol", "argument", "pcontrol"};
  for (const std::string_view line : split(text, '\n')) {
    const Words words = words_of(line);
    if (words.empty()) continue;
    const bool assigned = words.size() > 1 && words[1].starts_with('=');  // a key of a TOML file
    return !assigned && std::ranges::find(commands, words[0]) != commands.end();
  }
  return false;
}

std::vector<LayerRequest> read_pnmpi_file(std::string_view text, std::string_view folders,
                                          const std::function<void(const std::string&)>& remark) {
  Reader reader(folders, remark);
  reader.read(text);
  return reader.layers();
}

}  // namespace cairn::cli
