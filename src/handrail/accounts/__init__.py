"""Who is who: users of the desk with passwords, sessions and roles; visitors with short-lived tokens."""
