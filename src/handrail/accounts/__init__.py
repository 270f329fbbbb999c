"""Who is who, and how much each may ask: users of the desk, visitors, customers, limits."""
