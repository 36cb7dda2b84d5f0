#include "runtime/processes/kernel_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "runtime/file_descriptor.hpp"

namespace troupe {

std::string read_kernel_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file) return text;
  std::array<char, 4096> piece;
  for (ssize_t got; (got = ::read(file.get(), piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace troupe
