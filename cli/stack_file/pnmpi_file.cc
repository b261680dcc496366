// SPDX-License-Identifier: BSD-3-Clause
// pnmpi_file.cc - from PnMPI's lines to layers. Like PnMPI, it goes on after a line that it cannot use, and says so.

#include "cli/stack_file/pnmpi_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

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

/// What a file says of itself; one that cannot be read is reported when it is to be loaded.
struct Facts {
  bool takes_options = false;
  bool is_pnmpi_module = false;
};

Facts facts_of(const std::string& path) {
  try {
    const ElfFile image = ElfFile::read(path);
    return {!parse_tool_about(image.exported_text("cairn_tool_about")).options.empty(), is_pnmpi_module(image)};
  } catch (const ElfError&) {
    return {};
  }
}

struct Argument {
  int line;
  ToolOption option;
};

struct Module {
  std::string name;
  LayerRequest request;
  std::vector<std::string> stacks;  // its own, and those without modules behind it
  Facts facts = {};
  bool gets_pcontrol = false;
  std::vector<Argument> arguments = {};
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
  }

  std::vector<LayerRequest> layers() {
    if (!modules_.empty() && !modules_.front().stacks.front().empty())
      remark_("no module stands before the first stack, so the program's calls reach none");
    const bool arguments_are_read =
        std::ranges::any_of(modules_, [](const Module& module) { return module.facts.is_pnmpi_module; });
    std::vector<LayerRequest> layers;
    for (Module& module : modules_) {
      give_arguments(module, arguments_are_read);
      module.request.filters.push_back({"hears", what_is_heard(module)});
      if (module.stacks != Words{""}) module.request.filters.push_back({"stack", module.stacks});
      layers.push_back(std::move(module.request));
    }
    return layers;
  }

 private:
  enum class Mode { off, marked, all, addressed, marked_or_addressed };

  void say_of(int line, const std::string& text) { remark_("line " + std::to_string(line) + ": " + text); }
  void say(const std::string& text) { say_of(line_, text); }
  void leave_out(const Words& words, const std::string& why) { say("'" + join(words, " ") + "' is left out: " + why); }

  void obey(const Words& words) {
    const std::string& command = words[0];
    if (command == "stack" && words.size() == 2) begin_stack(words);
    else if (command == "globalpcontrol" && words.size() >= 2) set_global_pcontrol(words);
    else if (command == "module" && words.size() == 2) add_module(words[1]);
    else if (command == "argument" && words.size() >= 3) add_argument(words);
    else if (command == "pcontrol" && words.size() <= 2) set_pcontrol(words);
    else leave_out(words, "it is not a PnMPI command");
  }

  /// Whether it gets modules will be seen.
  void begin_stack(const Words& words) {
    if (stack_ == words[1]) return;
    stack_ = words[1];
    takes_lines_ = false;
    if (!modules_.empty()) modules_.back().stacks.push_back(stack_);
  }

  void add_module(const std::string& name) {
    if (!modules_.empty() && modules_.back().stacks.size() > 1 && modules_.back().stacks.back() == stack_)
      modules_.back().stacks.pop_back();
    Module module{name, {}, {stack_}};
    module.gets_pcontrol = modules_.empty() && stack_.empty();
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
    if (!file.empty()) module.facts = facts_of(file);
    modules_.push_back(std::move(module));
    takes_lines_ = true;
  }

  /// Null, with a remark, if there is none that a line could be about.
  Module* current(const Words& words) {
    if (!takes_lines_) leave_out(words, "no module stands before it");
    return takes_lines_ ? &modules_.back() : nullptr;
  }

  void add_argument(const Words& words) {
    if (Module* const module = current(words))
      module->arguments.push_back({line_, {words[1], join({words.begin() + 2, words.end()}, " ")}});
  }

  /// Modules of PnMPI's may ask for any module's.
  void give_arguments(Module& module, bool arguments_are_read) {
    for (const auto& [line, option] : module.arguments)
      if (module.facts.takes_options || arguments_are_read) module.request.options.push_back(option);
      else
        say_of(line, "argument '" + option.name + "' is left out: module '" + module.name +
                         "' takes no options, and none of the modules calls PnMPI");
  }

  void set_pcontrol(const Words& words) {
    Module* const module = current(words);
    if (module == nullptr) return;
    module->gets_pcontrol = words.size() == 1 || words[1] == "on";
    if (!module->gets_pcontrol && words[1] != "off")
      say("'" + join(words, " ") + "' is taken as 'pcontrol off', as PnMPI does");
  }

  /// MPI_Pcontrol is passed on with all its arguments, which is as much as `int`, `pmpi` and `typed` do.
  void set_global_pcontrol(const Words& words) {
    static constexpr std::pair<std::string_view, Mode> modes[] = {
        {"off", Mode::off},     {"on", Mode::all},          {"int", Mode::marked},
        {"pmpi", Mode::marked}, {"pnmpi", Mode::addressed}, {"mixed", Mode::marked_or_addressed},
        {"typed", Mode::marked}};
    const auto* const mode =
        std::ranges::find(modes, words[1], [](const auto& known) { return std::string(known.first); });
    const bool is_typed = words[1] == "typed";
    if (mode == std::end(modes) || words.size() != (is_typed ? 4 : 2)) leave_out(words, "it is not a PnMPI command");
    else mode_ = mode->second;
  }

  Words what_is_heard(const Module& module) const {
    Words heard;
    if (mode_ == Mode::all || (module.gets_pcontrol && (mode_ == Mode::marked || mode_ == Mode::marked_or_addressed)))
      heard.emplace_back("each");
    if (mode_ == Mode::addressed || mode_ == Mode::marked_or_addressed) heard.emplace_back("addressed");
    return heard.empty() ? Words{"nothing"} : heard;
  }

  std::vector<std::string_view> folders_;
  const std::function<void(const std::string&)>& remark_;
  std::vector<Module> modules_;
  std::string stack_;         // that the next module belongs to; empty: the program's
  bool takes_lines_ = false;  // the last module
  Mode mode_ = Mode::marked;
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
