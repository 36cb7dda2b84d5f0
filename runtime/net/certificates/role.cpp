#include "runtime/net/certificates/role.hpp"

#include "runtime/net/openssl.hpp"

namespace troupe {

const char* to_string(Role role) { return role == Role::driver ? "driver" : "node"; }

namespace net {

std::string role_name(Role role) { return std::string("urn:troupe:role:") + to_string(role); }

bool has_role(X509* certificate, Role role) {
  const std::unique_ptr<GENERAL_NAMES, Free<&GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (!names || sk_GENERAL_NAME_num(names.get()) != 1) return false;
  const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), 0);
  if (name->type != GEN_URI) return false;
  const ASN1_IA5STRING* const uri = name->d.uniformResourceIdentifier;
  const std::string text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                         static_cast<std::size_t>(ASN1_STRING_length(uri)));
  return text == role_name(role);
}

}  // namespace net
}  // namespace troupe
