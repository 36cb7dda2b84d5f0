#include "models/files/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "models/files/npy_header.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are taken from the file as they are");

struct ElementType {
  char kind = 0;
  int item_size = 0;
  bool big_endian = false;
};

/// What is known of NumPy's types, without their byte order.
constexpr std::array<std::string_view, 12> kTypes{"b1", "u1", "i1", "u2", "i2", "u4",
                                                  "i4", "u8", "i8", "f2", "f4", "f8"};

constexpr std::string_view kMagic = "\x93NUMPY";

/// Where the dictionary lies.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

/// Bytes that are read as a file is.
class NpyBytes {
 public:
  NpyBytes(const std::string& path, std::span<const std::byte> bytes) : path_(path), bytes_(bytes) {}

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return bytes_.size(); }
  /// Callers have looked at the size.
  void read(std::uint64_t offset, std::span<std::byte> out) const {
    std::ranges::copy(bytes_.subspan(offset, out.size()), out.begin());
  }

 private:
  const std::string& path_;
  std::span<const std::byte> bytes_;
};

template <class File>
Extent locate_header(const File& file) {
  std::array<std::uint8_t, 12> start{};
  const std::uint64_t have = std::min<std::uint64_t>(file.size(), start.size());
  file.read(0, std::as_writable_bytes(std::span(start)).first(have));
  if (have == 0) throw_bad_file(file.path(), "an empty file");
  if (have < 10 || std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0) {
    throw_bad_file(file.path(), "not a NumPy file");
  }
  const int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0) throw_bad_file(file.path(), "an unknown version of NumPy's format");

  Extent header{10, static_cast<std::uint64_t>(start[8] | start[9] << 8)};
  if (version > 1) {
    header.begin = 12;
    header.size |= static_cast<std::uint64_t>(start[10]) << 16 | static_cast<std::uint64_t>(start[11]) << 24;
  }
  // Far more than any array of numbers needs; NumPy itself refuses more than 10,000.
  constexpr std::uint64_t kLargestHeader = 1 << 16;
  if (header.size > kLargestHeader || header.begin + header.size > file.size()) {
    throw_bad_file(file.path(), "truncated in its header");
  }
  return header;
}

template <class File>
NpyHeader read_header(const File& file, const Extent& extent) {
  std::string text(extent.size, '\0');
  file.read(extent.begin, std::as_writable_bytes(std::span(text)));
  const auto header = parse_npy_header(text);
  if (!header) throw_bad_file(file.path(), "a malformed NumPy header");
  return *header;
}

ElementType element_type(const std::string& path, const NpyHeader& header) {
  if (header.fortran_order) throw_bad_file(path, "its array is in Fortran order: save numpy.ascontiguousarray(array)");
  const std::string_view descr = header.descr;
  const auto* const found = std::ranges::find(kTypes, descr.empty() ? descr : descr.substr(1));
  const std::string_view orders = found != kTypes.end() && found->back() == '1' ? "|<>" : "<>";
  if (found == kTypes.end() || orders.find(descr.front()) == std::string_view::npos)
    throw_bad_file(path, "elements of type '" + header.descr + "', neither integers nor f2, f4, f8 or bool");
  return {found->front(), found->back() - '0', descr.front() == '>'};
}

void swap_bytes(std::vector<std::uint8_t>& bytes, int item_size) {
  for (auto item = bytes.begin(); item != bytes.end(); item += item_size) std::reverse(item, item + item_size);
}

float float_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1f;
  const auto fraction = static_cast<float>(half & 0x3ff);
  const float sign = half >> 15 != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) return fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * HUGE_VALF;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// The lengths' product, times the element's size, must be what the file holds.
void check_size(const std::string& path, const NpyHeader& header, int item_size, std::uint64_t bytes) {
  auto size = static_cast<std::uint64_t>(item_size);
  for (const std::int64_t length : header.shape) {
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(length), &size)) {
      throw_bad_file(path, "its header promises too much");
    }
  }
  if (size == bytes) return;
  if (size > bytes)
    throw_bad_file(path, "truncated: its header promises " + std::to_string(size) + " bytes, but it holds " +
                             std::to_string(bytes));
  throw_bad_file(path, "its header promises " + std::to_string(size) + " bytes, but it holds " + std::to_string(bytes));
}

template <class From, class To>
std::vector<To> convert(const std::vector<std::uint8_t>& bytes) {
  std::vector<To> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    values[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): a byte with a sign is a number
  }
  return values;
}

template <class To, class One, class Two, class Four, class Eight>
std::vector<To> convert_of_size(const NpyArray& array) {
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
std::vector<To> convert_integers(const NpyArray& array) {
  if (array.kind == 'i') return convert_of_size<To, std::int8_t, std::int16_t, std::int32_t, std::int64_t>(array);
  return convert_of_size<To, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(array);
}

std::vector<float> convert_halves(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> values;
  for (const auto half : convert<std::uint16_t, std::uint16_t>(bytes)) values.push_back(float_of_half(half));
  return values;
}

template <class File>
NpyArray read_array(const File& file) {
  const Extent extent = locate_header(file);
  NpyHeader header = read_header(file, extent);
  const ElementType type = element_type(file.path(), header);
  const std::uint64_t begin = extent.begin + extent.size;
  check_size(file.path(), header, type.item_size, file.size() - begin);

  NpyArray array{type.kind, type.item_size, std::move(header.shape), {}};
  array.bytes.resize(file.size() - begin);
  file.read(begin, std::as_writable_bytes(std::span(array.bytes)));
  if (type.big_endian) swap_bytes(array.bytes, type.item_size);
  return array;
}

}  // namespace

std::vector<float> NpyArray::floats() const {
  if (is_integer()) return convert_integers<float>(*this);
  if (item_size == 2) return convert_halves(bytes);
  return item_size == 4 ? convert<float, float>(bytes) : convert<double, float>(bytes);
}

std::vector<std::int64_t> NpyArray::integers() const { return convert_integers<std::int64_t>(*this); }

NpyArray read_npy(const std::string& path) { return read_array(InputFile(path)); }

NpyArray parse_npy(const std::string& path, std::span<const std::byte> file) {
  return read_array(NpyBytes(path, file));
}

}  // namespace troupe
