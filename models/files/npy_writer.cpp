#include "models/files/npy_writer.hpp"

#include <bit>

#include "runtime/files/output_file.hpp"

namespace troupe {

static_assert(std::endian::native == std::endian::little, "floats go to the file as they are");

void write_npy(const std::string& path, const std::vector<std::int64_t>& shape, std::span<const float> floats) {
  std::string lengths;
  for (const std::int64_t length : shape) lengths += (lengths.empty() ? "" : ", ") + std::to_string(length);
  if (shape.size() == 1) lengths += ',';  // as Python writes a tuple of one
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + lengths + "), }";
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kBlock = 64;  // the floats begin at a multiple of it, behind spaces and the end of a line
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
