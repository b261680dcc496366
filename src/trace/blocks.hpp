// SPDX-License-Identifier: BSD-3-Clause
// blocks.hpp - blocks as they lie in the file, and the contents of all but those of records (record_coder.hpp)
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trace/bytes.hpp"
#include "trace/format.hpp"

struct ZSTD_CCtx_s;

namespace cairn::trace {

/// What a file begins with.
std::string file_head();

/// Compresses; keeps memory for that between blocks.
class BlockWriter {
 public:
  BlockWriter();
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  /// The head and the compressed content. `of`: of records, what the head tells of them.
  std::string block(BlockKind kind, std::string_view content, BlockHead of = {});

 private:
  ZSTD_CCtx_s* compressor_;
};

BlockHead head_of(std::string_view bytes);
/// The content. Throws Damaged.
std::string unpacked(const BlockHead& head, std::string_view stored);

/// Of a page's table of functions, by number.
std::vector<Function> functions_of(std::string_view table);
std::string content_of(const Process& process, std::string_view functions);
void read(std::string_view content, Process& process);

std::string content_of(const Moment& moment);
void read(std::string_view content, Moment& moment);

std::string content_of(const Comparison& comparison);
void read(std::string_view content, Comparison& comparison);

std::string content_of(const End& end);
void read(std::string_view content, End& end);

/// A block of definitions holds any number of them. Objects and datatypes are numbered from 1, in the order in which
/// they are defined; 0 is none, or an unknown one.
void define(std::string& content, const Object& object);
void define(std::string& content, const Datatype& type);
void define(std::string& content, const Mapped& mapped);
/// The system's number of a thread.
void define_thread(std::string& content, std::uint32_t thread, std::int32_t id);

struct Definitions {
  std::vector<Object> objects{1};
  std::vector<Datatype> types{1};
  std::vector<Mapped> mapped;
  std::vector<std::int32_t> threads;  // ids, by number; 0: unknown
};
void read(std::string_view content, Definitions& definitions);

}  // namespace cairn::trace
