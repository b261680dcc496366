// SPDX-License-Identifier: BSD-3-Clause
// pmix_store.cc - the store of launchers that speak PMIx, by the library that Open MPI loads itself

#include <dlfcn.h>
#include <pmix.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "job/library.hpp"
#include "job/node_store.hpp"

namespace cairn::engine {

namespace {

constexpr const char* key = "org.cairn.job";

/// The functions of libpmix.so.2.
struct Pmix {
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Get) get = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  bool is_there = false;

  Pmix() : library_(dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    is_there = find(library_, "PMIx_Init", init) && find(library_, "PMIx_Put", put) &&
               find(library_, "PMIx_Commit", commit) && find(library_, "PMIx_Get", get) &&
               find(library_, "PMIx_Finalize", finalize);
  }
  /// It may be unloaded with the MPI library, as without us: leaks that it has are found again then.
  ~Pmix() {
    if (library_ != nullptr) dlclose(library_);
  }
  Pmix(const Pmix&) = delete;
  Pmix& operator=(const Pmix&) = delete;

 private:
  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  void* library_;
};

/// Counts as one more user of the library while it lives.
class PmixStore : public Store {
 public:
  PmixStore() { is_open_ = pmix_.is_there && pmix_.init(&me_, nullptr, 0) == PMIX_SUCCESS; }
  ~PmixStore() override {
    if (is_open_) pmix_.finalize(nullptr, 0);
  }

  bool put_word() {
    pmix_value_t word{};
    word.type = PMIX_BOOL;
    word.data.flag = true;
    return is_open_ && pmix_.put(PMIX_GLOBAL, key, &word) == PMIX_SUCCESS && pmix_.commit() == PMIX_SUCCESS;
  }

  /// All words have travelled by now, so nobody waits for one.
  bool has(int rank) override {
    pmix_proc_t who = me_;
    who.rank = static_cast<pmix_rank_t>(rank);
    pmix_info_t at_once{};
    std::strcpy(at_once.key, is_shared() ? PMIX_OPTIONAL : PMIX_IMMEDIATE);
    at_once.value.type = PMIX_BOOL;
    at_once.value.data.flag = true;
    pmix_value_t* word = nullptr;
    const bool found = pmix_.get(&who, key, &at_once, 1, &word) == PMIX_SUCCESS;
    std::free(word);  // of a plain value nothing else was allocated
    return found;
  }

 private:
  /// Whether this process reads all words in memory that it shares with the launcher's daemon.
  static bool is_shared() {
    const char* const modules = std::getenv("PMIX_GDS_MODULE");
    return modules != nullptr && std::strncmp(modules, "ds", 2) == 0;
  }

  Pmix pmix_;
  pmix_proc_t me_{};
  bool is_open_ = false;
};

/// Open MPI 5 and 6 take a PMIx that is open for one that they have opened themselves, and do not learn their rank:
/// MPI_Init would fail. If it is closed again before, they fail now and then.
bool may_be_open_in_init() {
  constexpr std::string_view name = "Open MPI v";
  const std::string version = library_version();
  return version.starts_with(name) && std::atoi(version.c_str() + name.size()) < 5;
}

/// By the word of Open MPI's mpirun. Under Slurm it may be that of another one around.
bool is_alone() {
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size != nullptr && std::strcmp(size, "1") == 0 && std::getenv("SLURM_STEP_ID") == nullptr;
}

}  // namespace

/// A session may start without waiting for other ranks, whose words may still be under way then.
std::unique_ptr<Store> put_into_pmix_store(Start how) {
  if (how == Start::session || std::getenv("PMIX_NAMESPACE") == nullptr || is_alone()) return nullptr;
  if (!may_be_open_in_init()) return put_into_node_store(how, std::getenv("PMIX_RANK"), folder_of_prrte());
  auto store = std::make_unique<PmixStore>();
  return store->put_word() ? std::move(store) : nullptr;
}

}  // namespace cairn::engine
