// SPDX-License-Identifier: BSD-3-Clause
// pack.cc - compressing traces with what they have in common

#include "trace/pack.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/writing.hpp"
#include "trace/blocks.hpp"

namespace cairn::trace {

namespace {

constexpr std::size_t most_common = 1U << 18U;     // bytes; more takes longer than it brings
constexpr std::size_t most_of_one = 1U << 16U;     // of one trace
constexpr std::size_t most_compared = 64;          // traces, as there may be thousands
constexpr std::size_t is_unlike = 3;               // in quarters of what a trace takes without the others

/// A file that appears when it is whole.
class NewFile {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)), new_path_(path_ + ".new"), file_(std::fopen(new_path_.c_str(), "wb")) {
    check(file_ != nullptr);
  }
  ~NewFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!is_kept_) std::remove(new_path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void add(std::string_view bytes) {
    check(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size());
    size_ += bytes.size();
  }
  void close() {
    check(std::fflush(file_) == 0 && fsync(fileno(file_)) == 0);
    check(std::fclose(std::exchange(file_, nullptr)) == 0);
  }
  /// In place of what was there.
  void keep() {
    check(std::rename(new_path_.c_str(), path_.c_str()) == 0);
    is_kept_ = true;
  }
  std::uint64_t size() const { return size_; }

 private:
  void check(bool is_done) const {
    if (!is_done) throw Problem("'" + new_path_ + "' cannot be written: " + std::strerror(errno), remedy_for_file(errno));
  }

  std::string path_;
  std::string new_path_;
  std::FILE* file_;
  std::uint64_t size_ = 0;
  bool is_kept_ = false;
};

/// The blocks of a trace that is whole: calls `take` with the head and the content of each. Throws Damaged.
template <class Take>
void for_each_block(const FileBytes& file, Take take) {
  const auto bytes_at = [&](std::uint64_t at, std::size_t size) {
    std::string bytes(size, '\0');
    if (file.read(at, bytes.data(), size) != size) throw Damaged("it ends too early");
    return bytes;
  };
  for (std::uint64_t at = head_size; at < file.size();) {
    const BlockHead head = head_of(bytes_at(at, BlockHead::size));
    at += BlockHead::size;
    if (head.stored > file.size() - at) throw Damaged("it ends too early");
    take(head, unpacked(head, bytes_at(at, head.stored)));
    at += head.stored;
  }
}

enum class State { plain, packed, left };

/// `sample`: its first bytes.
State state_of(const FileBytes& file, std::string& sample) try {
  std::string head(head_size, '\0');
  if (file.read(0, head.data(), head_size) != head_size || !head.starts_with(magic)) return State::left;
  const auto its_version = Bytes(std::string_view(head).substr(magic.size())).fixed<std::uint32_t>();
  if (its_version < first_with_numbers || its_version > version) return State::left;
  struct IsPacked {};
  BlockKind last{};
  try {
    for_each_block(file, [&](const BlockHead& block, const std::string& content) {
      if (block.kind == BlockKind::uses_common) throw IsPacked();
      last = block.kind;
      if (sample.size() < most_of_one) sample.append(content, 0, most_of_one - sample.size());
    });
  } catch (const IsPacked&) {
    return State::packed;
  }
  return last == BlockKind::end ? State::plain : State::left;
} catch (const Damaged&) {
  return State::left;
}

/// From samples of traces: of the first one, and of those that are unlike what is there already.
class CommonMaker {
 public:
  void look_at(const std::string& sample) {
    const std::size_t room = most_common - content_.size();
    if (room < sample.size()) return;
    const std::size_t alone = without_.block(BlockKind::records, sample).size();
    if (with_ != nullptr && with_->block(BlockKind::records, sample).size() * 4 < alone * is_unlike) return;
    content_ += sample;
    with_ = std::make_unique<BlockWriter>(content_);
  }
  const std::string& content() const { return content_; }

 private:
  std::string content_;
  BlockWriter without_;
  std::unique_ptr<BlockWriter> with_;
};

std::unique_ptr<NewFile> packed(const std::string& path, const Common& common, BlockWriter& writer) {
  auto made = std::make_unique<NewFile>(path);
  std::string identity;
  put_fixed(identity, common.identity());
  made->add(file_head());
  made->add(BlockWriter().block(BlockKind::uses_common, identity));
  for_each_block(FileBytes(path), [&](const BlockHead& head, const std::string& content) {
    const std::string block = writer.block(head.kind, content, head);
    if (unpacked(head_of(block), std::string_view(block).substr(BlockHead::size), common.content()) != content)
      throw std::logic_error("a block of a trace changes when it is compressed");
    made->add(block);
  });
  made->close();
  return made;
}

}  // namespace

Packed pack(const std::vector<std::string>& traces) {
  Packed done;
  std::vector<std::string> plain;
  CommonMaker maker;
  const std::size_t step = std::max<std::size_t>(traces.size() / most_compared, 1);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    std::string sample;
    const State state = state_of(FileBytes(traces[i]), sample);
    if (state == State::packed) ++done.already;
    if (state == State::left) done.left_as.push_back(traces[i]);
    if (state != State::plain) continue;
    plain.push_back(traces[i]);
    if (done.already == 0 && i % step == 0) maker.look_at(sample);
  }
  if (plain.empty()) return done;

  const std::string path = Common::path_beside(plain.front());
  const Common common = done.already != 0 ? read_common(path) : Common(maker.content());
  const bool is_new = done.already == 0;
  std::unique_ptr<NewFile> common_file;
  if (is_new) {
    common_file = std::make_unique<NewFile>(path);
    common_file->add(file_of(common));
    common_file->close();
    done.common = common_file->size();
  }
  BlockWriter writer(common.content());
  std::vector<std::unique_ptr<NewFile>> made;
  for (const std::string& trace : plain) {
    made.push_back(packed(trace, common, writer));
    done.before += std::filesystem::file_size(trace);
    done.after += made.back()->size();
  }
  if (done.after + done.common >= done.before) return done;
  if (is_new) common_file->keep();
  for (const auto& file : made) file->keep();
  done.files = made.size();
  return done;
}

}  // namespace cairn::trace
