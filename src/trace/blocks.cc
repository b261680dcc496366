// SPDX-License-Identifier: BSD-3-Clause
// blocks.cc - writing and reading blocks

#include "trace/blocks.hpp"

#if defined(CAIRN_HAS_ZSTD)
#include <zstd.h>
#endif

#include <algorithm>
#include <new>
#include <utility>

#include "base/text.hpp"

namespace cairn::trace {

namespace {

[[maybe_unused]] constexpr int fast = 3;
[[maybe_unused]] constexpr int thorough = 15;  // of zstd: for those who would rather have few bytes than exact times
constexpr std::uint32_t most_threads = page::PageHeader::most_threads;

enum Definition : std::uint8_t { object = 1, datatype, mapped, thread, region };

#if defined(CAIRN_HAS_ZSTD)
ZSTD_CCtx* make_compressor() {
  ZSTD_CCtx* const made = ZSTD_createCCtx();
  if (made == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(made, ZSTD_c_checksumFlag, 1);
  return made;
}
void free_compressor(ZSTD_CCtx* compressor) { ZSTD_freeCCtx(compressor); }

/// What is given with it counts, whatever the level of a block is.
ZSTD_CDict* use(ZSTD_CCtx* compressor, std::string_view common) {
  if (common.empty()) return nullptr;
  ZSTD_CDict* const made = ZSTD_createCDict(common.data(), common.size(), thorough);
  if (made == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_refCDict(compressor, made);
  return made;
}
void free_common(ZSTD_CDict* common) { ZSTD_freeCDict(common); }

std::string compressed(ZSTD_CCtx* compressor, std::string_view content, int level) {
  ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, level);
  std::string stored(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size = ZSTD_compress2(compressor, stored.data(), stored.size(), content.data(), content.size());
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // no other reason is left
  stored.resize(size);
  return stored;
}
std::string decompressed(const BlockHead& head, std::string_view stored, std::string_view common) {
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != head.raw) throw Damaged("a block has the wrong size");
  std::string content(head.raw, '\0');
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  const std::size_t size = ZSTD_decompress_usingDict(context.get(), content.data(), content.size(), stored.data(),
                                                     stored.size(), common.data(), common.size());
  if (ZSTD_isError(size) != 0 || size != content.size()) throw Damaged("a block has changed since it was written");
  return content;
}
#else
ZSTD_CCtx_s* make_compressor() { return nullptr; }
void free_compressor(ZSTD_CCtx_s* /*compressor*/) {}
ZSTD_CDict_s* use(ZSTD_CCtx_s* /*compressor*/, std::string_view /*common*/) { return nullptr; }
void free_common(ZSTD_CDict_s* /*common*/) {}
std::string compressed(ZSTD_CCtx_s* /*compressor*/, std::string_view content, int /*level*/) {
  return std::string(content);
}
std::string decompressed(const BlockHead& /*head*/, std::string_view /*stored*/, std::string_view /*common*/) {
  throw Damaged("it is compressed, and this Cairn was built without zstd");
}
#endif

}  // namespace

std::string file_head() {
  std::string head(magic);
  put_fixed(head, version);
  return head;
}

BlockWriter::BlockWriter(std::string_view common) : compressor_(make_compressor()), common_(use(compressor_, common)) {}
BlockWriter::~BlockWriter() {
  free_compressor(compressor_);
  free_common(common_);
}

std::string BlockWriter::block(BlockKind kind, std::string_view content, BlockHead of) {
  std::string stored = compressed(compressor_, content, of.form == Form::exact ? fast : thorough);
  if (stored.size() >= content.size()) stored = content;
  std::string made;
  made.reserve(BlockHead::size + stored.size());
  put_fixed(made, BlockHead::mark);
  put_fixed(made, static_cast<std::uint8_t>(kind));
  put_fixed(made, static_cast<std::uint8_t>(of.form));
  put_fixed(made, static_cast<std::uint32_t>(content.size()));
  put_fixed(made, static_cast<std::uint32_t>(stored.size()));
  put_fixed(made, of.thread);
  put_fixed(made, of.count);
  put_fixed(made, of.first);
  return made += stored;
}

BlockHead head_of(std::string_view bytes) {
  Bytes in(bytes);
  if (in.fixed<std::uint16_t>() != BlockHead::mark) throw Damaged("no block begins there");
  BlockHead head;
  head.kind = static_cast<BlockKind>(in.fixed<std::uint8_t>());
  head.form = static_cast<Form>(in.fixed<std::uint8_t>());
  head.raw = in.fixed<std::uint32_t>();
  head.stored = in.fixed<std::uint32_t>();
  head.thread = in.fixed<std::uint32_t>();
  head.count = in.fixed<std::uint32_t>();
  head.first = in.fixed<std::uint64_t>();
  if (head.raw > most_raw || head.count > most_records || head.thread >= most_threads)
    throw Damaged("a block is larger than any can be");
  return head;
}

std::string unpacked(const BlockHead& head, std::string_view stored, std::string_view common) {
  if (stored.size() != head.stored) throw Damaged("it ends too early");
  return head.stored == head.raw ? std::string(stored) : decompressed(head, stored, common);
}

// ------------------------------------------------------------ contents

namespace {

/// The same members for writing and reading.
template <class Of>
void visit_numbers(Of& process, auto visit) {
  for (auto* number :
       {&process.rank, &process.size, &process.pid, &process.any_source, &process.any_tag, &process.proc_null})
    visit(*number);
}
template <class Of>
void visit_texts(Of& process, auto visit) {
  for (auto* text : {&process.run, &process.host, &process.boot, &process.program, &process.mpi}) visit(*text);
}

Object read_object(Bytes& in) {
  Object made;
  made.what = static_cast<page::Object::What>(std::min<std::uint64_t>(in.number(), page::Object::file));
  made.identity = in.number();
  made.rank = in.small();
  made.size = in.small();
  made.remote_size = in.small();
  made.peers = in.small();
  made.members_known = in.number() != 0;
  std::int32_t last = 0;
  for (std::uint64_t count = in.number(); count > 0; --count) made.members.push_back(last += in.small());
  made.name = harmless(in.text());
  return made;
}

}  // namespace

std::vector<Function> functions_of(std::string_view text) {
  std::vector<Function> all;
  while (text.size() >= 2) {
    const auto kind = static_cast<unsigned char>(text.front());
    const std::size_t end = std::min(text.find('\0', 1), text.size());
    all.push_back(
        {kind <= static_cast<unsigned char>(page::Kind::abort) ? static_cast<page::Kind>(kind) : page::Kind::other,
         harmless(text.substr(1, end - 1))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string content_of(const Process& process, std::string_view functions) {
  std::string content;
  visit_numbers(process, [&](std::int32_t number) { put_signed(content, number); });
  visit_texts(process, [&](const std::string& text) { put_text(content, text); });
  put_text(content, functions);
  put_text(content, process.choice);
  put(content, process.error_ns);
  return content;
}
void read(std::string_view content, Process& process) {
  Bytes in(content);
  visit_numbers(process, [&](std::int32_t& number) { number = in.small(); });
  visit_texts(process, [&](std::string& text) { text = harmless(in.text()); });
  process.functions = functions_of(in.text());
  process.choice = in.is_over() ? "" : harmless(in.text());  // earlier ones have no choice, and no error
  process.error_ns = in.is_over() ? 0 : in.number();
}

std::string content_of(const Moment& moment) {
  std::string content;
  for (const std::uint64_t number : {moment.ticks, moment.monotonic_ns, moment.real_ns, moment.work_ns, moment.records})
    put(content, number);
  return content;
}
void read(std::string_view content, Moment& moment) {
  Bytes in(content);
  for (std::uint64_t* number : {&moment.ticks, &moment.monotonic_ns, &moment.real_ns}) *number = in.number();
  if (in.is_over()) return;  // an earlier one
  moment.work_ns = in.number();
  moment.records = in.number();
}

std::string content_of(const Comparison& comparison) {
  std::string content;
  put_fixed(content, comparison.clock);
  put_fixed(content, comparison.reference);
  for (const std::int64_t number :
       {comparison.clocks, comparison.at_ns, comparison.offset_ns, comparison.error_ns, comparison.day_ns})
    put_signed(content, static_cast<std::uint64_t>(number));
  return content;
}
void read(std::string_view content, Comparison& comparison) {
  Bytes in(content);
  comparison.clock = in.fixed<std::uint64_t>();
  comparison.reference = in.fixed<std::uint64_t>();
  for (std::int64_t* number :
       {&comparison.clocks, &comparison.at_ns, &comparison.offset_ns, &comparison.error_ns, &comparison.day_ns})
    *number = static_cast<std::int64_t>(in.difference());
}

std::string content_of(const End& end) {
  std::string content;
  for (const std::uint64_t number : {end.records, end.lost, end.omitted, end.left_out, end.work_ns})
    put(content, number);
  put_text(content, end.how);
  put(content, end.unnamed);
  return content;
}
void read(std::string_view content, End& end) {
  Bytes in(content);
  for (std::uint64_t* number : {&end.records, &end.lost, &end.omitted, &end.left_out, &end.work_ns})
    *number = in.number();
  end.how = harmless(in.text());
  end.unnamed = in.is_over() ? 0 : in.number();
}

void define(std::string& content, std::uint32_t number, const Object& object) {
  put(content, Definition::object);
  put(content, number);
  put(content, object.what);
  put(content, object.identity);
  for (const std::int32_t one : {object.rank, object.size, object.remote_size, object.peers}) put_signed(content, one);
  put(content, object.members_known ? 1 : 0);
  put(content, object.members.size());
  std::int32_t last = 0;
  for (const std::int32_t member : object.members) put_signed(content, member - std::exchange(last, member));
  put_text(content, object.name);
}
void define(std::string& content, std::uint32_t number, const Datatype& type) {
  put(content, Definition::datatype);
  put(content, number);
  put(content, type.size);
  put_text(content, type.name);
}
void define(std::string& content, const Mapped& mapped) {
  put(content, Definition::mapped);
  for (const std::uint64_t number : {mapped.begin, mapped.end, mapped.bias}) put(content, number);
  put_text(content, mapped.path);
}
void define_thread(std::string& content, std::uint32_t thread, std::int32_t id) {
  put(content, Definition::thread);
  put(content, thread);
  put_signed(content, id);
}

void define_region(std::string& content, RegionId of, std::string_view path) {
  put(content, Definition::region);
  put_signed(content, of.layer);
  put(content, of.number);
  put_text(content, path);
}

namespace {

/// Reads the definitions of one block.
class DefinitionReader {
 public:
  DefinitionReader(std::string_view content, Definitions& into, std::uint32_t from)
      : in_(content), into_(into), has_numbers_(from >= first_with_numbers) {}

  void read_all() {
    while (!in_.is_over()) read_one();
  }

 private:
  void read_one() {
    switch (in_.number()) {
      case Definition::object:
        return take(into_.objects, [this] { return read_object(in_); });
      case Definition::datatype:
        return take(into_.types, [this] {
          const std::uint64_t size = in_.number();
          return Datatype{size, harmless(in_.text())};
        });
      case Definition::mapped:
        return read_mapped();
      case Definition::thread:
        return read_thread();
      case Definition::region:
        return read_region();
      default:
        throw Damaged("it defines what this Cairn does not know");
    }
  }

  template <class Of>
  void take(Numbered<Of>& all, auto read_next) {
    const std::uint64_t number = has_numbers_ ? in_.number() : std::uint64_t{all.count()} + 1;
    if (number == 0) throw Damaged("it defines number 0");  // which names nothing in a record
    Of made = read_next();
    if (number < most_definitions) all.set(static_cast<std::uint32_t>(number), std::move(made));
    else ++into_.left_out;
  }
  void read_mapped() {
    Mapped made;
    for (std::uint64_t* const number : {&made.begin, &made.end, &made.bias}) *number = in_.number();
    made.path = harmless(in_.text());
    if (into_.mapped.size() < most_definitions) into_.mapped.push_back(std::move(made));
    else ++into_.left_out;
  }
  void read_thread() {
    const std::uint64_t number = in_.number();
    if (number >= most_threads) throw Damaged("it has too many threads");
    if (into_.threads.size() <= number) into_.threads.resize(number + 1);
    into_.threads[number] = in_.small();
  }
  void read_region() {
    RegionId of;
    of.layer = in_.small();
    of.number = in_.number();
    std::string path = harmless(in_.text());
    if (into_.regions.size() < most_definitions) into_.regions.insert_or_assign(of, std::move(path));
    else ++into_.left_out;
  }

  Bytes in_;
  Definitions& into_;
  bool has_numbers_;
};

}  // namespace

void read(std::string_view content, Definitions& definitions, std::uint32_t from) {
  DefinitionReader(content, definitions, from).read_all();
}

}  // namespace cairn::trace
