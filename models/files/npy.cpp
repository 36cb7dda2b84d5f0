#include "models/files/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "models/files/npy_header.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are taken from the file as they are");

struct ElementType {
  std::string_view descr;
  char kind;
  int item_size;
};

constexpr std::array kElementTypes{ElementType{"<f4", 'f', 4}, ElementType{"<f8", 'f', 8}, ElementType{"|u1", 'u', 1},
                                   ElementType{"<u1", 'u', 1}, ElementType{"<i4", 'i', 4}, ElementType{"<i8", 'i', 8}};

constexpr std::string_view kMagic = "\x93NUMPY";

/// Where the dictionary lies.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

Extent locate_header(const InputFile& file) {
  std::array<std::uint8_t, 12> start{};
  const std::uint64_t have = std::min<std::uint64_t>(file.size(), start.size());
  file.read(0, std::as_writable_bytes(std::span(start)).first(have));
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

NpyHeader read_header(const InputFile& file, const Extent& extent) {
  std::string text(extent.size, '\0');
  file.read(extent.begin, std::as_writable_bytes(std::span(text)));
  const auto header = parse_npy_header(text);
  if (!header) throw_bad_file(file.path(), "a malformed NumPy header");
  return *header;
}

const ElementType& element_type(const std::string& path, const NpyHeader& header) {
  if (header.fortran_order) throw_bad_file(path, "its array is in Fortran order, not C order");
  const auto* const found = std::ranges::find(kElementTypes, header.descr, &ElementType::descr);
  if (found == kElementTypes.end()) {
    throw_bad_file(path, "elements of type '" + header.descr + "', not little-endian f4, f8, u1, i4 or i8");
  }
  return *found;
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
  throw_bad_file(path, "its header promises " + std::to_string(size) + " bytes, but it holds " + std::to_string(bytes));
}

template <class From, class To>
std::vector<To> convert(const std::vector<std::uint8_t>& bytes) {
  std::vector<To> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    values[i] = static_cast<To>(value);
  }
  return values;
}

}  // namespace

std::vector<float> NpyArray::floats() const {
  if (kind == 'f') return item_size == 4 ? convert<float, float>(bytes) : convert<double, float>(bytes);
  if (kind == 'u') return convert<std::uint8_t, float>(bytes);
  return item_size == 4 ? convert<std::int32_t, float>(bytes) : convert<std::int64_t, float>(bytes);
}

std::vector<std::int64_t> NpyArray::integers() const {
  if (kind == 'u') return convert<std::uint8_t, std::int64_t>(bytes);
  return item_size == 4 ? convert<std::int32_t, std::int64_t>(bytes) : convert<std::int64_t, std::int64_t>(bytes);
}

NpyArray read_npy(const std::string& path) {
  const InputFile file(path);
  const Extent extent = locate_header(file);
  NpyHeader header = read_header(file, extent);
  const ElementType& type = element_type(path, header);
  const std::uint64_t begin = extent.begin + extent.size;
  check_size(path, header, type.item_size, file.size() - begin);

  NpyArray array{type.kind, type.item_size, std::move(header.shape), {}};
  array.bytes.resize(file.size() - begin);
  file.read(begin, std::as_writable_bytes(std::span(array.bytes)));
  return array;
}

}  // namespace troupe
