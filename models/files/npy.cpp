#include "models/files/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"

namespace troupe {
namespace {

/// The content of the header of a .npy file, a Python dictionary.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Parses a text from start to end. Each function parses one kind of syntax element. It returns false if such an
/// element does not follow at the present position.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool token(std::string_view wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  bool string(std::string& out) {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool boolean(bool& out) {
    out = token("True");
    return out || token("False");
  }

  /// Parses a Python tuple of integers, such as "()", "(3,)", "(3, 4)" or "(3, 4,)". Rejects "(3)", because it is a
  /// number in Python.
  bool tuple(std::vector<std::int64_t>& out) {
    if (!token("(")) return false;
    bool comma = true;
    while (!token(")")) {
      std::int64_t value = 0;
      if (!comma || !number(value)) return false;
      out.push_back(value);
      comma = token(",");
    }
    return comma || out.size() > 1;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  bool number(std::int64_t& out) {
    skip_blanks();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc{} || out < 0) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  std::string_view rest_;
};

struct Seen {
  bool descr = false;
  bool order = false;
  bool shape = false;
};

/// Parses one entry `key: value` of the header's dictionary. Returns false if the key is unknown or repeated, or the
/// value is invalid.
bool parse_entry(Parser& parser, NpyHeader& header, Seen& seen) {
  std::string key;
  if (!parser.string(key) || !parser.token(":")) return false;
  const auto first = [](bool& flag) { return !std::exchange(flag, true); };
  if (key == "descr") return first(seen.descr) && parser.string(header.descr);
  if (key == "fortran_order") return first(seen.order) && parser.boolean(header.fortran_order);
  if (key == "shape") return first(seen.shape) && parser.tuple(header.shape);
  return false;
}

/// Parses the header that NumPy writes: a Python dictionary with exactly the keys descr, fortran_order and shape,
/// padded with blanks. Returns nothing for any other text.
std::optional<NpyHeader> parse_npy_header(std::string_view text) {
  Parser parser(text);
  NpyHeader header;
  Seen seen;
  if (!parser.token("{")) return std::nullopt;
  bool comma = true;
  while (!parser.token("}")) {
    if (!comma || !parse_entry(parser, header, seen)) return std::nullopt;
    comma = parser.token(",");
  }
  if (!parser.at_end() || !seen.descr || !seen.order || !seen.shape) return std::nullopt;
  return header;
}

struct ElementType {
  char kind = 0;
  int item_size = 0;
  bool big_endian = false;
};

/// The supported NumPy types, without their byte order.
constexpr std::array<std::string_view, 12> kTypes{"b1", "u1", "i1", "u2", "i2", "u4",
                                                  "i4", "u8", "i8", "f2", "f4", "f8"};

constexpr std::string_view kMagic = "\x93NUMPY";

/// Gives access to the bytes of a .npy file, which is on disk or in memory.
struct Bytes {
  const std::string& name;
  std::uint64_t size = 0;
  std::function<void(std::uint64_t offset, std::span<std::byte> out)> read;
};

Bytes bytes_of(const ByteSource& file) {
  return {file.path(), file.size(),
          [&file](std::uint64_t offset, std::span<std::byte> out) { file.read(offset, out); }};
}

/// Does the same for a reader of the header only.
Bytes header_of(const ByteSource& file) {
  return {file.path(), file.size(),
          [&file](std::uint64_t offset, std::span<std::byte> out) { file.read_once(offset, out); }};
}

Bytes bytes_of(const std::string& name, std::span<const std::byte> bytes) {
  return {name, bytes.size(), [bytes](std::uint64_t offset, std::span<std::byte> out) {
            std::ranges::copy(bytes.subspan(offset, out.size()), out.begin());
          }};
}

/// The offset and the size, in bytes, of the header's dictionary in the file.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

Extent locate_header(const Bytes& file) {
  std::array<std::uint8_t, 12> start{};
  const std::uint64_t have = std::min<std::uint64_t>(file.size, start.size());
  file.read(0, std::as_writable_bytes(std::span(start)).first(have));
  if (have == 0) throw_bad_file(file.name, "the file is empty");
  if (have < 10 || std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0) {
    throw_bad_file(file.name, "not a NumPy file");
  }
  const int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0) throw_bad_file(file.name, "unknown version of NumPy's format");

  Extent header{10, static_cast<std::uint64_t>(start[8] | start[9] << 8)};
  if (version > 1) {
    header.begin = 12;
    header.size |= static_cast<std::uint64_t>(start[10]) << 16 | static_cast<std::uint64_t>(start[11]) << 24;
  }
  // 64 KB is much more than any numeric array needs. NumPy itself rejects headers of more than 10,000 bytes.
  constexpr std::uint64_t kLargestHeader = 1 << 16;
  if (header.size > kLargestHeader || header.begin + header.size > file.size) {
    throw_bad_file(file.name, "the header is truncated");
  }
  return header;
}

NpyHeader read_header(const Bytes& file, const Extent& extent) {
  std::string text(extent.size, '\0');
  file.read(extent.begin, std::as_writable_bytes(std::span(text)));
  const auto header = parse_npy_header(text);
  if (!header) throw_bad_file(file.name, "malformed NumPy header");
  return *header;
}

ElementType element_type(const std::string& path, const NpyHeader& header) {
  if (header.fortran_order)
    throw_bad_file(path, "the array is in Fortran order: save numpy.ascontiguousarray(array) instead");
  const std::string_view descr = header.descr;
  const auto* const found = std::ranges::find(kTypes, descr.empty() ? descr : descr.substr(1));
  const std::string_view orders = found != kTypes.end() && found->back() == '1' ? "|<>" : "<>";
  if (found == kTypes.end() || orders.find(descr.front()) == std::string_view::npos)
    throw_bad_file(path, "unsupported element type '" + header.descr + "': use integers, f2, f4, f8 or bool");
  return {found->front(), found->back() - '0', descr.front() == '>'};
}

void check_size(const std::string& path, std::uint64_t size, std::uint64_t bytes) {
  if (size == bytes) return;
  if (size > bytes)
    throw_bad_file(path, "truncated: the header declares " + std::to_string(size) +
                             " bytes of data, but the file holds " + std::to_string(bytes));
  throw_bad_file(path, "the header declares " + std::to_string(size) + " bytes of data, but the file holds " +
                           std::to_string(bytes));
}

/// Reads the header of a .npy file, and returns the layout of the file.
NpyLayout layout_of(const Bytes& file) {
  const Extent extent = locate_header(file);
  NpyHeader header = read_header(file, extent);
  const ElementType type = element_type(file.name, header);
  const std::uint64_t begin = extent.begin + extent.size;
  check_size(file.name, bytes_of_shape(file.name, header.shape, type.item_size), file.size - begin);
  return {{type.kind, type.item_size, std::move(header.shape), {}}, begin, type.big_endian};
}

NumberArray read_elements(const Bytes& file) {
  NpyLayout layout = layout_of(file);
  layout.array.bytes.resize(file.size - layout.begin);
  file.read(layout.begin, std::as_writable_bytes(std::span(layout.array.bytes)));
  if (layout.big_endian) layout.array.swap_bytes();
  return std::move(layout.array);
}

}  // namespace

NumberArray read_npy(const std::string& path) { return read_npy(InputFile(path)); }

NumberArray read_npy(const ByteSource& file) { return read_elements(bytes_of(file)); }

NumberArray parse_npy(const std::string& name, std::span<const std::byte> bytes) {
  return read_elements(bytes_of(name, bytes));
}

NumberArray take_npy(const std::string& name, std::vector<std::uint8_t> bytes) {
  NpyLayout layout = layout_of(bytes_of(name, std::as_bytes(std::span(bytes))));
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(layout.begin));
  layout.array.bytes = std::move(bytes);
  if (layout.big_endian) layout.array.swap_bytes();
  return std::move(layout.array);
}

std::uint64_t npy_file_size(const std::string& name, std::span<const std::uint8_t> start) {
  const Bytes bytes = bytes_of(name, std::as_bytes(start));
  const Extent extent = locate_header(bytes);
  const NpyHeader header = read_header(bytes, extent);
  const std::uint64_t begin = extent.begin + extent.size;
  std::uint64_t size = bytes_of_shape(name, header.shape, element_type(name, header).item_size);
  if (__builtin_add_overflow(size, begin, &size))
    throw_bad_file(name, "the header declares an array that is too large");
  return size;
}

NpyFile::NpyFile(std::shared_ptr<const ByteSource> file)
    : file_(std::move(file)), layout_(layout_of(header_of(*file_))) {
  const auto& shape = layout_.array.shape;
  if (shape.empty()) throw_bad_file(path(), "the array is a single number; it needs at least one dimension");
  row_bytes_ =
      std::accumulate(shape.begin() + 1, shape.end(), std::int64_t{layout_.array.item_size}, std::multiplies());
}

NumberArray NpyFile::rows(std::int64_t first, std::int64_t count) const {
  NumberArray read = layout_.array;
  read.shape.front() = count;
  read.bytes.resize(static_cast<std::size_t>(count * row_bytes_));
  file_->read(offset_of(first), std::as_writable_bytes(std::span(read.bytes)));
  file_->check_unchanged();
  if (layout_.big_endian) read.swap_bytes();
  return read;
}

static_assert(std::endian::native == std::endian::little, "floats are written without conversion");

void write_npy(const std::string& path, const std::vector<std::int64_t>& shape, std::span<const float> floats) {
  std::string lengths;
  for (const std::int64_t length : shape) lengths += (lengths.empty() ? "" : ", ") + std::to_string(length);
  if (shape.size() == 1) lengths += ',';  // a Python tuple of one element
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + lengths + "), }";
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kBlock = 64;  // the floats begin at a multiple of this number of bytes; spaces and a line end
                                      // fill the gap before them
  header.append(kBlock - (kPrefix + header.size() + 1) % kBlock, ' ') += '\n';
  std::string start = "\x93NUMPY";
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, header.size() & 0xFF, header.size() >> 8})
    start += static_cast<char>(byte);
  OutputFile file(path);
  file.write(std::as_bytes(std::span(start)));
  file.write(std::as_bytes(std::span(header)));
  file.write(std::as_bytes(floats));
  file.commit();
}

}  // namespace troupe
