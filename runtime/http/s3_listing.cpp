#include "runtime/http/s3_listing.hpp"

#include <pugixml.hpp>
#include <string_view>

#include "runtime/files/input_file.hpp"

namespace troupe {

S3Listing s3_listing(const std::string& bucket, const std::string& xml) {
  pugi::xml_document document;
  const bool parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_minimal | pugi::parse_escapes | pugi::parse_cdata);
  const pugi::xml_node result = document.child("ListBucketResult");
  if (!parsed || !result) throw_bad_file(bucket, "the server's list of objects is malformed");
  S3Listing listing;
  for (const pugi::xml_node& object : result.children("Contents")) listing.keys.emplace_back(object.child_value("Key"));
  if (std::string_view(result.child_value("IsTruncated")) == "true") {
    listing.next = result.child_value("NextContinuationToken");
    if (listing.next.empty()) throw_bad_file(bucket, "the server's list of objects ends early");
  }
  return listing;
}

}  // namespace troupe
