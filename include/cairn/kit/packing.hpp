// SPDX-License-Identifier: BSD-3-Clause
// packing.hpp - a rank's results as bytes, for the way to another rank (ranks.hpp, World::merge)
//
//   struct Count {
//     std::string name;
//     std::uint64_t calls = 0;
//     static void members(auto& archive, auto& count) { archive(count.name, count.calls); }
//   };
//   world.merge([&] { return cairn::pack(counts); },                       // std::vector<Count>, std::map<…, Count>, …
//               [&](const std::string& bytes) { add(counts, cairn::unpack<std::vector<Count>>(bytes)); });
//
// One function names the members for both ways. All ranks run the same tool, so there is no version in the bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cairn {

namespace kit {

template <class Type>
concept Whole = std::integral<Type> || std::is_enum_v<Type>;

/// Writes items one after the other; whole numbers take as many bytes as they need.
class Packer {
 public:
  static constexpr bool reads = false;

  template <class... Items>
  void operator()(const Items&... items) {
    (put(items), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void put_number(std::uint64_t number) {
    for (; number >= 128; number >>= 7U) bytes_ += static_cast<char>(number | 128U);
    bytes_ += static_cast<char>(number);
  }
  template <Whole Number>
  void put(Number number) {
    const auto value = static_cast<std::int64_t>(number);
    if constexpr (std::is_signed_v<Number>)  // small numbers of either sign are short
      put_number(static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63));
    else put_number(static_cast<std::uint64_t>(number));
  }
  void put(double number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put(const std::string& text) {
    put_number(text.size());
    bytes_ += text;
  }
  template <class Item>
  void put(const std::vector<Item>& items) {
    put_number(items.size());
    for (const Item& item : items) put(item);
  }
  template <class Key, class Item>
  void put(const std::map<Key, Item>& items) {
    put_number(items.size());
    for (const auto& item : items) put(item);
  }
  template <class First, class Second>
  void put(const std::pair<First, Second>& both) {
    put(both.first);
    put(both.second);
  }
  template <class Item>
  requires requires(Packer& archive, const Item& item) { Item::members(archive, item); }
  void put(const Item& item) { Item::members(*this, item); }

  std::string bytes_;
};

/// Reads what a Packer has written, in the same order.
class Unpacker {
 public:
  static constexpr bool reads = true;

  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  template <class... Items>
  void operator()(Items&... items) {
    (get(items), ...);
  }

 private:
  const char* take(std::size_t count) {
    if (count > bytes_.size()) throw std::runtime_error("results of another rank are damaged");
    const char* const taken = bytes_.data();
    bytes_.remove_prefix(count);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*take(1));
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
  }
  template <Whole Number>
  void get(Number& out) {
    const std::uint64_t value = number();
    if constexpr (std::is_signed_v<Number>)
      out = static_cast<Number>(static_cast<std::int64_t>(value >> 1U ^ (0 - (value & 1U))));
    else out = static_cast<Number>(value);
  }
  void get(double& out) { std::memcpy(&out, take(sizeof out), sizeof out); }
  void get(std::string& text) {
    const std::size_t size = number();
    text.assign(take(size), size);
  }
  template <class Item>
  void get(std::vector<Item>& items) {
    items.clear();
    for (std::uint64_t left = number(); left > 0; --left) get(items.emplace_back());
  }
  template <class Key, class Item>
  void get(std::map<Key, Item>& items) {
    items.clear();
    for (std::uint64_t left = number(); left > 0; --left) {
      Key key{};
      get(key);
      get(items[std::move(key)]);
    }
  }
  template <class First, class Second>
  void get(std::pair<First, Second>& both) {
    get(both.first);
    get(both.second);
  }
  template <class Item>
  requires requires(Unpacker& archive, Item& item) { Item::members(archive, item); }
  void get(Item& item) { Item::members(*this, item); }

  std::string_view bytes_;
};

}  // namespace kit

/// A number, a text, a vector, a map or a pair of these, or a class with a static function `members` as above.
template <class Results>
std::string pack(const Results& results) {
  kit::Packer archive;
  archive(results);
  return archive.take();
}

template <class Results>
Results unpack(std::string_view bytes) {
  Results results;
  kit::Unpacker archive(bytes);
  archive(results);
  return results;
}

}  // namespace cairn
