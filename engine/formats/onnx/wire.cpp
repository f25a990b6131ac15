// Protobuf's wire format: a message is a sequence of fields, each a key (number and wire type, a varint) and a value.
// The reader walks over bytes in place and copies nothing; every length is checked against what is left of the
// message, so nothing is ever allocated because a file says so.
#include "engine/formats/onnx/proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"

namespace heliolite::onnx {
namespace {

constexpr u32 kLongestVarint = 10;  // bytes of 7 bits for 64 bits
constexpr u64 kLargestNumber = (u64{1} << 29) - 1;

u64 little_endian(std::string_view bytes) {
  u64 value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Takes a number of 7 bits a byte off the front.
std::optional<u64> take_varint(std::string_view& rest) {
  u64 value = 0;
  const std::size_t longest = std::min<std::size_t>(rest.size(), kLongestVarint);
  for (std::size_t i = 0; i < longest; ++i) {
    const u64 byte = static_cast<unsigned char>(rest[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

// Appends the elements of `width` bytes each that a packed field, or a field of one, holds.
template <class Convert>
void append_fixed(Wire& wire, const Field& field, std::size_t width, std::size_t most, std::vector<double>& into,
                  const Convert& convert) {
  if (field.type != Field::Type::Bytes) {
    if (into.size() < most) into.push_back(convert(field.value));
    return;
  }
  if (field.bytes.size() % width != 0)
    return wire.fail(field.bytes.data(), fmt::format("{} bytes of numbers of {} bytes", field.bytes.size(), width));
  for (std::size_t i = 0; i < field.bytes.size() && into.size() < most; i += width)
    into.push_back(convert(little_endian(field.bytes.substr(i, width))));
}

}  // namespace

void Wire::fail(const char* where, std::string what) {
  if (error_) return;
  error_ = WireError{at(where - file_.data()), std::move(what)};
}

std::optional<u64> Fields::varint() {
  const char* begin = rest_.data();
  const std::optional<u64> value = take_varint(rest_);
  if (!value) wire_.fail(begin, "no number of up to 10 bytes, or the message ends within it");
  return value;
}

std::optional<u64> Fields::fixed(std::size_t bytes) {
  if (rest_.size() < bytes) {
    wire_.fail(rest_.data(), "the file ends within a number");
    return std::nullopt;
  }
  const u64 value = little_endian(rest_.substr(0, bytes));
  rest_.remove_prefix(bytes);
  return value;
}

bool Fields::next(Field& field) {
  if (rest_.empty() || !wire_.ok()) return false;
  const char* begin = rest_.data();
  const std::optional<u64> key = varint();
  if (!key) return false;
  const u64 number = *key >> 3, type = *key & 7;
  if (number == 0 || number > kLargestNumber) {
    wire_.fail(begin, fmt::format("no field has the number {}", number));
    return false;
  }
  field.number = static_cast<u32>(number);
  std::optional<u64> value;
  switch (type) {
    case 0: value = varint(); break;
    case 1: value = fixed(8); break;
    case 2: value = varint(); break;
    case 5: value = fixed(4); break;
    default: wire_.fail(begin, fmt::format("wire type {} of field {} is none of 0, 1, 2 and 5", type, number));
  }
  if (!value) return false;
  field.type = static_cast<Field::Type>(type);
  field.value = *value;
  field.bytes = {};
  if (field.type == Field::Type::Bytes) {
    if (*value > rest_.size()) {
      wire_.fail(begin, fmt::format("field {} has {} bytes, only {} are left", number, *value, rest_.size()));
      return false;
    }
    field.bytes = rest_.substr(0, *value);
    rest_.remove_prefix(*value);
  }
  return true;
}

i64 as_integer(Wire& wire, const Field& field) {
  if (field.type == Field::Type::Bytes)
    wire.fail(field.bytes.data(), fmt::format("field {} is no integer", field.number));
  return std::bit_cast<i64>(field.value);
}

float as_float(Wire& wire, const Field& field) {
  if (field.type == Field::Type::Bytes)
    wire.fail(field.bytes.data(), fmt::format("field {} is no number", field.number));
  return std::bit_cast<float>(static_cast<u32>(field.value));
}

std::string_view as_bytes(Wire& wire, const Field& field) {
  if (field.type != Field::Type::Bytes)
    wire.fail(wire.file().data(), fmt::format("a field {} is a number, must be text or a message", field.number));
  return field.bytes;
}

void append_integers(Wire& wire, const Field& field, std::size_t most, std::vector<i64>& into) {
  if (field.type != Field::Type::Bytes) {
    if (into.size() < most) into.push_back(std::bit_cast<i64>(field.value));
    return;
  }
  std::string_view rest = field.bytes;
  while (!rest.empty() && into.size() < most) {
    const char* begin = rest.data();
    const std::optional<u64> value = take_varint(rest);
    if (!value) return wire.fail(begin, "a list of numbers ends within one");
    into.push_back(std::bit_cast<i64>(*value));
  }
}

void append_floats(Wire& wire, const Field& field, std::size_t most, std::vector<double>& into) {
  append_fixed(wire, field, 4, most, into, [](u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); });
}

void append_doubles(Wire& wire, const Field& field, std::size_t most, std::vector<double>& into) {
  append_fixed(wire, field, 8, most, into, [](u64 bits) { return std::bit_cast<double>(bits); });
}

}  // namespace heliolite::onnx
