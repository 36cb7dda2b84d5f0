#include "runtime/http/open_bytes.hpp"

#include "runtime/files/input_file.hpp"
#include "runtime/http/remote_file.hpp"
#include "runtime/http/s3.hpp"
#include "runtime/http/url.hpp"

namespace troupe {

std::shared_ptr<const ByteSource> open_bytes(const std::string& name) {
  if (!is_url(name)) return std::make_shared<const InputFile>(name);
  const Url url = parse_url(name);
  if (url.scheme == "s3") return std::make_shared<const RemoteFile>(s3_address(url));
  return std::make_shared<const RemoteFile>(
      RemoteAddress{url.shown(), [text = url.text()](std::uint64_t begin, std::uint64_t end) {
                      return HttpRequest{.url = text, .begin = begin, .end = end};
                    }});
}

}  // namespace troupe
