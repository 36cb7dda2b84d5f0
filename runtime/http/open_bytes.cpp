#include "runtime/http/open_bytes.hpp"

#include "runtime/files/input_file.hpp"
#include "runtime/http/remote_file.hpp"
#include "runtime/http/s3.hpp"
#include "runtime/http/url.hpp"

namespace troupe {

std::shared_ptr<const ByteSource> open_bytes(const std::string& name) {
  if (is_url(name)) return open_remote(name);
  return std::make_shared<const InputFile>(name);
}

std::shared_ptr<const RemoteFile> open_remote(const std::string& text) {
  const Url url = parse_url(text);
  if (url.scheme == "s3") return std::make_shared<const RemoteFile>(s3_address(url));
  return std::make_shared<const RemoteFile>(
      RemoteAddress{url.shown(), [url = url.text()](std::uint64_t begin, std::uint64_t end) {
                      return HttpRequest{.url = url, .begin = begin, .end = end};
                    }});
}

}  // namespace troupe
