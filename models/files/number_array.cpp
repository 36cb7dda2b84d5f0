#include "models/files/number_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read without conversion");

float float_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1f;
  const auto fraction = static_cast<float>(half & 0x3ff);
  const float sign = half >> 15 != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) return fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * HUGE_VALF;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <class From, class To>
std::vector<To> convert(const std::vector<std::uint8_t>& bytes) {
  std::vector<To> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    values[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): a signed byte is a number here
  }
  return values;
}

template <class To, class One, class Two, class Four, class Eight>
std::vector<To> convert_of_size(const NumberArray& array) {
  switch (array.item_size) {
    case 1:
      return convert<One, To>(array.bytes);
    case 2:
      return convert<Two, To>(array.bytes);
    case 4:
      return convert<Four, To>(array.bytes);
    default:
      return convert<Eight, To>(array.bytes);
  }
}

template <class To>
std::vector<To> convert_integers(const NumberArray& array) {
  if (array.kind == 'i') return convert_of_size<To, std::int8_t, std::int16_t, std::int32_t, std::int64_t>(array);
  return convert_of_size<To, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(array);
}

std::vector<float> convert_halves(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> values;
  for (const auto half : convert<std::uint16_t, std::uint16_t>(bytes)) values.push_back(float_of_half(half));
  return values;
}

}  // namespace

void throw_too_large(const std::string& name, std::uint64_t bytes, std::uint64_t most) {
  throw Error(ErrorCode::limit_reached,
              "the array needs " + std::to_string(bytes) + " bytes, but the memory limit for data leaves " +
                  std::to_string(most) + "; raise it with --data-memory",
              {.object = name});
}

std::uint64_t bytes_of_shape(const std::string& path, const std::vector<std::int64_t>& shape, int item_size) {
  std::int64_t size = item_size;
  bool empty = false;
  for (const std::int64_t length : shape)
    if (length == 0)
      empty = true;
    else if (length < 0 || __builtin_mul_overflow(size, length, &size))
      throw_bad_file(path, "the header declares an array that is too large");
  return empty ? 0 : static_cast<std::uint64_t>(size);
}

std::vector<float> NumberArray::floats() const {
  if (is_integer()) return convert_integers<float>(*this);
  if (item_size == 2) return convert_halves(bytes);
  return item_size == 4 ? convert<float, float>(bytes) : convert<double, float>(bytes);
}

std::vector<std::int64_t> NumberArray::integers() const { return convert_integers<std::int64_t>(*this); }

std::string NumberArray::shape_text() const {
  std::string text = "(";
  for (const std::int64_t length : shape) text += std::to_string(length) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

void NumberArray::swap_bytes() {
  for (auto item = bytes.begin(); item != bytes.end(); item += item_size) std::reverse(item, item + item_size);
}

}  // namespace troupe
